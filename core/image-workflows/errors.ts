/** The errors of ComfyUI's API, and the responses that report them. */
import { FileMissing, type Log, PathUnusable, RecordsUnavailable, StorageFull } from '#core/host';
import { ApiError, emptyResponse } from '#core/http';
import { MAX_UPLOAD_SIZE } from './features.ts';
import { plainTextResponse, pythonJsonResponse } from './responses.ts';

/** Nothing of a prompt can run. Clients read its type, its details and the errors of its nodes. */
export class PromptRefused extends ApiError {
  override name = 'PromptRefused';
  constructor(
    readonly type: string,
    message: string,
    readonly details = '',
    readonly nodeErrors: Record<string, unknown> = {},
  ) {
    super(400, message);
  }
}

/** A request body is longer than `MAX_UPLOAD_SIZE`. */
export class UploadTooLarge extends ApiError {
  override name = 'UploadTooLarge';
  constructor() {
    super(413, `Maximum request body size ${MAX_UPLOAD_SIZE} exceeded.`);
  }
}

/** A request body is no JSON. */
export class BodyNotJson extends ApiError {
  override name = 'BodyNotJson';
  constructor(reason: string) {
    super(400, `the body is not JSON: ${reason}`);
  }
}

/** The response for an error that a handler threw. Errors of tabd itself reach the log alone. */
export function errorResponse(error: unknown, log: Log): Response {
  if (error instanceof PromptRefused) {
    const { type, message, details, nodeErrors, status } = error;
    return pythonJsonResponse(
      { error: { type, message, details, extra_info: {} }, node_errors: nodeErrors },
      status,
    );
  }
  // A request may have deleted the file that another one was about to send.
  if (error instanceof FileMissing) return emptyResponse(404);
  if (error instanceof UploadTooLarge) return plainTextResponse(error.message, error.status);
  if (error instanceof PathUnusable) return pythonJsonResponse({ error: error.message }, 400);
  if (error instanceof StorageFull) return pythonJsonResponse({ error: error.message }, 507);
  if (error instanceof ApiError || error instanceof RecordsUnavailable) {
    const status = error instanceof ApiError ? error.status : 503;
    const response = pythonJsonResponse({ error: error.message }, status);
    if (status === 503) response.headers.set('retry-after', '1');
    return response;
  }
  log.error('image workflows: a request failed', { error: String(error) });
  return pythonJsonResponse({ error: 'the server failed on this request; its log says why' }, 500);
}
