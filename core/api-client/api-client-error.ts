interface ApiClientErrorOptions {
  /** How to correct the fault, or where it lies. */
  description?: string;
  /** The HTTP status of a request that was refused. */
  status?: number;
  cause?: unknown;
}

/** A request that an API of this server refused, work of it that failed, or input that no API would accept. */
export class ApiClientError extends Error {
  override name = 'ApiClientError';
  readonly description: string | undefined;
  readonly status: number | undefined;

  constructor(message: string, { description, status, cause }: ApiClientErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.description = description;
    this.status = status;
  }
}
