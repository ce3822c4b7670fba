import * as api from '@opentelemetry/api';
import type { Span, SpanAttributes, SpanOptions, Tracing } from '#core/host';

/** A span that its caller ends. */
export interface OpenSpan extends Span {
  /** Runs `work` as a part of the span. */
  within<T>(work: () => T): T;
  end(): void;
}

const KINDS = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };

/** Spans by the global tracer of OpenTelemetry's API. */
export class OpenTelemetry implements Tracing {
  readonly #tracer: api.Tracer;

  /** @param onClose sends the spans that are left */
  constructor(
    version: string,
    private readonly onClose: () => Promise<void>,
  ) {
    this.#tracer = api.trace.getTracer('tabd', version);
  }

  current(): string | undefined {
    const carrier: { traceparent?: string } = {};
    api.propagation.inject(api.context.active(), carrier);
    return carrier.traceparent;
  }

  async span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const span = this.open(name, options);
    try {
      return await span.within(() => work(span));
    } catch (error) {
      span.fail(String(error));
      throw error;
    } finally {
      span.end();
    }
  }

  /** Begins a span. */
  open(name: string, { parent, attributes = {}, side }: SpanOptions): OpenSpan {
    const above =
      parent === undefined
        ? api.context.active()
        : api.propagation.extract(api.ROOT_CONTEXT, { traceparent: parent });
    const kind = side ? KINDS[side] : api.SpanKind.INTERNAL;
    const span = this.#tracer.startSpan(name, { kind, attributes }, above);
    const context = api.trace.setSpan(above, span);
    return {
      set: (more: SpanAttributes) => void span.setAttributes(more),
      fail: (message) => void span.setStatus({ code: api.SpanStatusCode.ERROR, message }),
      within: (work) => api.context.with(context, work),
      end: () => span.end(),
    };
  }

  /** Adds a span that has ended, to the work that is being done. Milliseconds since 1970. */
  add(name: string, startedAt: number, endedAt: number, attributes: SpanAttributes): void {
    this.#tracer.startSpan(name, { startTime: startedAt, attributes }).end(endedAt);
  }

  /** Sends the spans that are left. */
  close(): Promise<void> {
    return this.onClose();
  }
}
