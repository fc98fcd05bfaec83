/** Architectures, as Node names them, that a filter can be made for: their number in the kernel's audit.h. */
export const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
export type Architecture = keyof typeof ARCHITECTURES;

/** Error numbers, the same on both architectures. */
export const ERRNO = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;
export type ErrorName = keyof typeof ERRNO;

/** A system call's number on x64 and on arm64; null where it has no such call. */
type Numbers = readonly [x64: number, arm64: number | null];

/**
 * System calls that are refused whatever their arguments. Tests need none of them; each has let programs out of a sandbox,
 * reaches what is not in a namespace, or reads the memory of another process. `ENOSYS` where programs then go another way.
 */
export const REFUSED: { error: ErrorName; calls: Readonly<Record<string, Numbers>> }[] = [
  {
    error: "ENOSYS",
    calls: {
      // Its flags lie in memory, where a filter cannot look. Without it programs take `clone`.
      clone3: [435, 435],
      // Its operations pass by every filter.
      io_uring_setup: [425, 425],
      io_uring_enter: [426, 426],
      io_uring_register: [427, 427],
    },
  },
  {
    error: "EPERM",
    calls: {
      // Other namespaces and mounts.
      unshare: [272, 97],
      setns: [308, 268],
      mount: [165, 40],
      umount2: [166, 39],
      pivot_root: [155, 41],
      chroot: [161, 51],
      open_tree: [428, 428],
      move_mount: [429, 429],
      fsopen: [430, 430],
      fsconfig: [431, 431],
      fsmount: [432, 432],
      fspick: [433, 433],
      mount_setattr: [442, 442],
      open_tree_attr: [467, 467],
      open_by_handle_at: [304, 265],
      fanotify_init: [300, 262],
      // The kernel's own machinery.
      bpf: [321, 280],
      perf_event_open: [298, 241],
      userfaultfd: [323, 282],
      // Keys belong to a user, not to a namespace.
      add_key: [248, 217],
      request_key: [249, 218],
      keyctl: [250, 219],
      // Other processes.
      ptrace: [101, 117],
      process_vm_readv: [310, 270],
      process_vm_writev: [311, 271],
      process_madvise: [440, 440],
      pidfd_getfd: [438, 438],
      kcmp: [312, 272],
      // The machine.
      syslog: [103, 116],
      acct: [163, 89],
      swapon: [167, 224],
      swapoff: [168, 225],
      reboot: [169, 142],
      sethostname: [170, 161],
      setdomainname: [171, 162],
      iopl: [172, null],
      ioperm: [173, null],
      init_module: [175, 105],
      delete_module: [176, 106],
      finit_module: [313, 273],
      kexec_load: [246, 104],
      kexec_file_load: [320, 294],
      quotactl: [179, 60],
      quotactl_fd: [443, 443],
      settimeofday: [164, 170],
      clock_settime: [227, 112],
      clock_adjtime: [305, 266],
      adjtimex: [159, 171],
    },
  },
];

/** One argument of a call, by its lower 32 bits, which are all that the kernel itself looks at in each of these. */
export type ArgumentRule = {
  call: Numbers;
  /** Which argument, from 0. */
  argument: number;
  /** `any of`: refused when one of the bits is set. `one of`, `none of`: refused when it is, or is not, one of the values. */
  refuse: "any of" | "one of" | "none of";
  values: readonly number[];
  error: ErrorName;
};

const NEW_NAMESPACES = 0x7e02_0000; // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
const TERMINAL_INPUT = [0x5412, 0x541c]; // TIOCSTI and TIOCLINUX write to a terminal as if someone typed
/** Unix, IPv4, IPv6 and netlink: those that a network namespace confines. AF_VSOCK, to the hypervisor, is none of them. */
const CONFINED_FAMILIES = [1, 2, 10, 16];

export const BY_ARGUMENT: Readonly<Record<string, ArgumentRule>> = {
  clone: { call: [56, 220], argument: 0, refuse: "any of", values: [NEW_NAMESPACES], error: "EPERM" },
  ioctl: { call: [16, 29], argument: 1, refuse: "one of", values: TERMINAL_INPUT, error: "EPERM" },
  socket: { call: [41, 198], argument: 0, refuse: "none of", values: CONFINED_FAMILIES, error: "EAFNOSUPPORT" },
  socketpair: { call: [53, 199], argument: 0, refuse: "none of", values: CONFINED_FAMILIES, error: "EAFNOSUPPORT" },
};
