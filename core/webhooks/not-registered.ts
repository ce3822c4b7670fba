/** The 404 bodies of webhook addresses that nobody listens on (n8n.md section 2). */

export type WebhookMode = 'production' | 'test';

const HINTS: Record<WebhookMode, string> = {
  production:
    "The workflow must be active for a production URL to run successfully. You can activate the workflow using the toggle in the top-right of the editor. Note that unlike test URL calls, production URL calls aren't shown on the canvas (only in the executions list)",
  test: "Click the 'Execute workflow' button on the canvas, then try again. (In test mode, the webhook only works for one call after you click this button)",
};

/** @param path as the workflow would name it: decoded, without the prefix, the query and one trailing slash. */
export function notRegistered(mode: WebhookMode, method: string, path: string): Response {
  const what = mode === 'production' ? `${method} ${path}` : path;
  return Response.json(
    { code: 404, message: `The requested webhook "${what}" is not registered.`, hint: HINTS[mode] },
    { status: 404, headers: { 'content-type': 'application/json; charset=utf-8' } },
  );
}

/** An execution that nobody waits in: `/webhook-waiting/<id>`. */
export function noSuchExecution(executionId: string): Response {
  return Response.json(
    { code: 404, message: `The execution "${executionId}" does not exist.` },
    { status: 404, headers: { 'content-type': 'application/json; charset=utf-8' } },
  );
}

/** The part behind `/webhook/`: decoded where it can be, without one trailing slash. */
export function webhookPath(pathname: string, prefix: string): string {
  const raw = pathname.slice(prefix.length).replace(/\/$/, '');
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}
