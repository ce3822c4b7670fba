/** Time. Tests supply a clock of their own. */
export interface Clock {
  /** Milliseconds since 1970, with a fraction (microseconds). */
  now(): number;
  /** Monotonic nanoseconds from an arbitrary start. */
  nanoseconds(): number;
  /**
   * Runs `callback` after `milliseconds`, which may exceed the 2^31 ms of `setTimeout`; `Infinity` never runs it.
   * @returns cancels the timer
   */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Messages for the person who runs tabd. `fields` hold the values of a message. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Facts about the machine. Unknown ones are left out, never invented. */
export interface Machine {
  /** `linux`, `Linux`, `macOS`: as the platform names it. */
  os: string;
  /** The machine's name on the network. A `Host` header with it counts as a local address. */
  hostname?: string;
  /** The machine's IP addresses on the network, IPv4 and IPv6. */
  addresses?(): string[];
  /** The TCP ports of this computer at which this server answers now. A tab has none. */
  openPorts?(): readonly number[];
  /** `x64`, `arm64` */
  architecture?: string;
  /** Bytes. */
  memoryTotal?: number;
  /** Bytes that are free now. */
  memoryFree?(): number;
  /** Logical processors. */
  cores: number;
  /** Name and version of the runtime: `Node.js 20.20.2`, a user agent. */
  runtime: string;
  /** The command line of the process. */
  argv?: string[];
  gpus(): Promise<Gpu[]>;
}

/** A GPU of this machine. */
export interface Gpu {
  name: string;
  /** `webgpu`, `cuda`, `vulkan`, `metal` */
  type: string;
  /** Bytes. */
  memoryTotal?: number;
  /** Bytes that are free now. */
  memoryFree?: number;
  /** Whether WebGPU shaders have 16-bit floats. */
  shaderF16?: boolean;
}
