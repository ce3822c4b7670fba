/** A call that may not start the workflow. */
export class AccessDenied extends Error {
  override name = 'Refusal';
  constructor(
    readonly status: number,
    message: string,
    /** Says how to log in, as every refusal for want of it does. */
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
