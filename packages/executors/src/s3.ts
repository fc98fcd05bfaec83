import type { S3Client } from "@aws-sdk/client-s3";
import { type BlobId, type Blobs, NotFoundError, SandboxError, sha256 } from "@swarm/core";
import { loadClient } from "./load-client.ts";

export type S3BlobsOptions = {
  /** Yours, with its region, credentials and endpoint. Who made it disposes of it. */
  client: S3Client;
  bucket: string;
  /** Goes before each key, such as `swarm/`. Default: nothing. */
  prefix?: string;
};

/**
 * Blobs in S3 or what speaks like it, for the `shared` store of sandboxes on several machines: `<prefix>ab/cdef…` holds the bytes
 * whose sha-256 is `abcdef…`. Reading checks the bytes against their name.
 */
export function s3Blobs({ client, bucket, prefix = "" }: S3BlobsOptions): Blobs {
  const commands = () => loadClient("@aws-sdk/client-s3", () => import("@aws-sdk/client-s3"));
  const at = (id: BlobId) => ({ Bucket: bucket, Key: `${prefix}${id.slice(0, 2)}/${id.slice(2)}` });

  return {
    async put(data) {
      const { PutObjectCommand } = await commands();
      const id = sha256(data);
      await client.send(new PutObjectCommand({ ...at(id), Body: typeof data === "string" ? Buffer.from(data) : data }));
      return id;
    },
    async get(id) {
      const { GetObjectCommand } = await commands();
      const found = await client.send(new GetObjectCommand(at(id))).catch((error) => missing(error) ?? raise(error));
      const bytes = found ? await found.Body?.transformToByteArray() : undefined;
      if (!bytes) throw new NotFoundError(`blob ${JSON.stringify(id)}`);
      if (sha256(bytes) !== id)
        throw new SandboxError(`blob ${id} is damaged: ${at(id).Key} of ${bucket} holds other bytes`);
      return bytes;
    },
    async has(id) {
      const { HeadObjectCommand } = await commands();
      return await client.send(new HeadObjectCommand(at(id))).then(
        () => true,
        (error) => missing(error) ?? raise(error),
      );
    },
  };
}

/** False where the storage answered that there is no such object; undefined for any other error. */
function missing(error: unknown): false | undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode === 404 ? false : undefined;
}

function raise(error: unknown): never {
  throw error;
}
