import type { S3Client } from "@aws-sdk/client-s3";
import { type BlobId, type Blobs, messageOf, NotFoundError, SandboxError, sha256 } from "@swarm/core";
import { loadClient } from "./load-client.ts";

export type S3BlobsOptions = {
  /** Yours, with its region, credentials and endpoint. Who made it disposes of it. */
  client: S3Client;
  bucket: string;
  /** Goes before each key, such as `swarm/`. Default: nothing. */
  prefix?: string;
};

/**
 * A client for {@link s3Blobs} with the credentials that the environment has for AWS. Region and endpoint go before those of the
 * environment; an endpoint is what speaks like S3 in its place. Whoever makes it disposes of it (`destroy`).
 */
export async function s3Client({ region, endpoint }: { region?: string; endpoint?: string } = {}): Promise<S3Client> {
  const { S3Client } = await loadCommands();
  return new S3Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" }),
  });
}

const loadCommands = () => loadClient("@aws-sdk/client-s3", () => import("@aws-sdk/client-s3"));

/**
 * Blobs in S3 or what speaks like it, for the `shared` store of sandboxes on several machines: `<prefix>ab/cdef…` holds the bytes
 * whose sha-256 is `abcdef…`. Reading checks the bytes against their name.
 */
export function s3Blobs({ client, bucket, prefix = "" }: S3BlobsOptions): Blobs {
  const at = (id: BlobId) => ({ Bucket: bucket, Key: `${prefix}${id.slice(0, 2)}/${id.slice(2)}` });

  function unusable(cause: unknown): never {
    throw new SandboxError(`the bucket ${bucket} cannot be used: ${reasonOf(cause)}`, { cause });
  }

  return {
    async put(data) {
      const { PutObjectCommand } = await loadCommands();
      const id = sha256(data);
      const body = typeof data === "string" ? Buffer.from(data) : data;
      await client.send(new PutObjectCommand({ ...at(id), Body: body })).catch(unusable);
      return id;
    },
    async get(id) {
      const { GetObjectCommand } = await loadCommands();
      const found = await client.send(new GetObjectCommand(at(id))).catch((error) => missing(error) ?? unusable(error));
      const bytes = found ? await found.Body?.transformToByteArray() : undefined;
      if (!bytes) throw new NotFoundError(`blob ${JSON.stringify(id)}`);
      if (sha256(bytes) !== id)
        throw new SandboxError(`blob ${id} is damaged: ${at(id).Key} of ${bucket} holds other bytes`);
      return bytes;
    },
    async has(id) {
      const { HeadObjectCommand } = await loadCommands();
      return await client.send(new HeadObjectCommand(at(id))).then(
        () => true,
        (error) => missing(error) ?? unusable(error),
      );
    },
  };
}

/** Not every error of the client has a message, such as that of a connection that is refused. */
function reasonOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return messageOf(error) || code || name;
}

/** False where the storage answered that there is no such object; undefined for any other error. */
function missing(error: unknown): false | undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode === 404 ? false : undefined;
}
