type Overridden = 'body' | 'bodyUsed' | 'arrayBuffer' | 'blob' | 'formData' | 'json' | 'text' | 'clone';

/** `Response` without the members that are replaced, which the types of some platforms declare as properties. */
const WithoutBody = Response as unknown as new (
  body: null,
  init?: ResponseInit,
) => Omit<Response, Overridden>;

/**
 * A response whose complete body is in memory. The constructor of `Response` makes a stream of every body, which costs
 * more than a small answer itself. Here that happens only when somebody reads the body as a stream. A transport that
 * knows this class sends `content` as it is.
 */
export class BytesResponse extends WithoutBody {
  #streamed: Response | undefined;

  /**
   * @param content the body; nobody may change it afterwards
   * @param ascii the same as a text, if every byte of it is ASCII: a socket takes it in one piece with the head
   */
  constructor(
    readonly content: Uint8Array<ArrayBuffer>,
    init?: ResponseInit,
    readonly ascii?: string,
  ) {
    super(null, init);
  }

  get #source(): Response {
    this.#streamed ??= new Response(this.content);
    return this.#streamed;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#source.body;
  }

  /** Whether somebody reads the body, so that `content` is no longer all of what remains of it. */
  get bodyUsed(): boolean {
    return this.#streamed?.bodyUsed ?? false;
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#source.arrayBuffer();
  }

  blob(): Promise<Blob> {
    const type = this.headers.get('content-type');
    return this.#source.blob().then((blob) => blob.slice(0, blob.size, type ?? ''));
  }

  formData(): Promise<FormData> {
    return new Response(this.#source.body, { headers: this.headers }).formData();
  }

  // biome-ignore lint/suspicious/noExplicitAny: the same type as the platform's
  json(): Promise<any> {
    return this.#source.json();
  }

  text(): Promise<string> {
    return this.#source.text();
  }

  /** @throws TypeError when the body has been read, as `Response.clone` does */
  clone(): BytesResponse {
    if (this.bodyUsed) throw new TypeError('the body has already been read');
    const { status, statusText, headers } = this;
    return new BytesResponse(this.content, { status, statusText, headers: new Headers(headers) }, this.ascii);
  }
}
