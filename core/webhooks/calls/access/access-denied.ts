/** The caller may not start the workflow. */
export class AccessDenied extends Error {
  override name = 'AccessDenied';
  constructor(
    readonly status: number,
    message: string,
    /** The response asks for credentials. */
    readonly challenge = true,
  ) {
    super(message);
  }

  toResponse(): Response {
    return new Response(new TextEncoder().encode(this.message), {
      status: this.status,
      headers: this.challenge ? { 'www-authenticate': 'Basic realm="Webhook"' } : {},
    });
  }
}
