import { type Attack, python } from "./attack.ts";

export const reaching: readonly Attack[] = [
  {
    name: "connect to the host's localhost",
    argv: python('print(socket.create_connection(("127.0.0.1", int(env["PORT"])), 8).recv(99))'),
    plain: "gets through",
  },
  {
    name: "connect to the machine's address in the network",
    argv: python('print(socket.create_connection((env["ADDRESS"], int(env["PORT"])), 8).recv(99))'),
    plain: "gets through",
    lacking: [/Name or service not known|Errno 111/, "an address in a network"],
  },
  {
    name: "send a datagram",
    argv: python(`
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.settimeout(8)
udp.connect(("127.0.0.1", int(env["UDP_PORT"])))
udp.send(b"?")
print(udp.recv(99))`),
    plain: "gets through",
  },
  {
    name: "connect to an abstract socket",
    argv: python('s = socket.socket(socket.AF_UNIX); s.connect("\\0" + env["ABSTRACT"]); print(s.recv(99))'),
    plain: "gets through",
  },
  {
    name: "connect to a socket in a folder, as Docker's is",
    argv: python('s = socket.socket(socket.AF_UNIX); s.connect(env["SOCKET"]); print(s.recv(99))'),
    plain: "gets through",
  },
  {
    name: "open a socket to the hypervisor",
    argv: python("socket.socket(40, socket.SOCK_STREAM); escaped()"),
    plain: "gets through",
    lacking: [/Address family not supported/, "AF_VSOCK"],
  },
  {
    name: "listen to all packets",
    argv: python("socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 768); escaped()"),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "read shared memory of the host",
    argv: python(`
libc.shmat.restype = ctypes.c_void_p
print(ctypes.string_at(libc.shmat(checked(libc.shmget(int(env["SHARED_KEY"]), 0, 0)), None, 0), 64))`),
    plain: "gets through",
  },
];
