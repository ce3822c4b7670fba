/** A collector of OpenTelemetry traces, as its OTLP receiver takes them over HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string | number | boolean>;
  /** 2: error. */
  status: { code?: number; message?: string };
  /** Attributes of the process. */
  resource: Record<string, string | number | boolean>;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
}

type Sent = Omit<CollectedSpan, 'attributes' | 'resource'> & { attributes: Attribute[] };

export class TraceCollector {
  readonly spans: CollectedSpan[] = [];

  private constructor(
    readonly url: string,
    readonly close: () => void,
  ) {}

  static async open(): Promise<TraceCollector> {
    const server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      if (request.url !== '/v1/traces') return void response.writeHead(404).end();
      collector.#add(JSON.parse(Buffer.concat(pieces).toString()));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const collector = new TraceCollector(`http://127.0.0.1:${port}`, () => {
      server.close();
      server.closeAllConnections();
    });
    return collector;
  }

  /** The spans of one trace, by name. */
  named(traceId: string, name: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId && span.name === name);
  }

  #add(sent: {
    resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Sent[] }[] }[];
  }): void {
    for (const { resource, scopeSpans } of sent.resourceSpans)
      for (const { spans } of scopeSpans)
        for (const span of spans)
          this.spans.push({
            ...span,
            attributes: valuesOf(span.attributes),
            resource: valuesOf(resource.attributes),
          });
  }
}

const valuesOf = (attributes: Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  );
