/**
 * Facts about the platform by which the core decides what it does. The core reads these instead of asking which platform
 * it runs on. All of them are constant for the life of the host.
 */
export interface HostCapabilities {
  /** The value of the response header `x-tabd-served-by`: clients see by it which kind of server answered. */
  readonly servedBy: 'tab' | 'node';
  /**
   * Whether the platform listens on ports of its own, so that settings may choose the paths of webhooks. Otherwise
   * requests come from a page's origin, whose service worker recognizes the default paths alone.
   */
  readonly ownsPorts: boolean;
  /**
   * Milliseconds within which a response head must be sent, or the client's request fails. Undefined: clients wait without
   * a limit.
   */
  readonly maxHeadDelay: number | undefined;
  /**
   * Milliseconds that a response head may wait after its work has started, where the platform notices a disconnect only
   * after the head was sent. Undefined: it notices every disconnect, so that the head may wait for the result.
   */
  readonly maxHeadDelayAfterStart: number | undefined;
  /** How many requests a model answers at once when no setting says so. 0: the engine chooses by its free memory. */
  readonly defaultParallel: number;
  /**
   * Bytes of the largest ONNX graph, with its weights, that opens without a GPU. Undefined: unknown before it is opened,
   * because a GPU can be added later.
   */
  readonly largestGraphWithoutGpu: number | undefined;
  /** Bytes of the largest GGUF file that an engine can open. Undefined: as much as the memory holds. */
  readonly largestGguf: number | undefined;
  /** Whether engines run on WebGPU. If so, `Machine.gpus` lists its adapters and decides between variants of a model. */
  readonly usesWebGpu: boolean;
  /**
   * Whether a response from another origin can be read only with that server's permission (CORS), and a failed request
   * carries no cause.
   */
  readonly enforcesCors: boolean;
  /** The user agent of clients whose requests arrive without that header: pages of this browser. Undefined: unknown. */
  readonly defaultUserAgent: string | undefined;
}
