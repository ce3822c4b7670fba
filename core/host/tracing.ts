/** The attributes of a span. */
export type SpanAttributes = Record<string, string | number | boolean>;

/** The beginning of a span. */
export interface SpanOptions {
  /** The `traceparent` of the work that this is a part of. Default: the work that is being done. */
  parent?: string | undefined;
  attributes?: SpanAttributes;
  /** The side of a request that this process is. Default: neither. */
  side?: 'server' | 'client';
}

/** A span under way. */
export interface Span {
  /** Adds attributes. */
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed. An error that `work` throws does that, too. */
  fail(cause: string): void;
}

/** Reports how long parts of the work take, as spans of traces. */
export interface Tracing {
  /** The `traceparent` of W3C Trace Context of the work that is being done. Undefined: it belongs to no trace. */
  current(): string | undefined;
  /** Does `work` as a span. What `work` begins belongs to it. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
}

const NO_SPAN: Span = { set() {}, fail() {} };

/** Does `work` as a span, if the host traces. */
export function traced<T>(
  tracing: Tracing | undefined,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracing ? tracing.span(name, options, work) : work(NO_SPAN);
}
