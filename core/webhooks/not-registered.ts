/** What webhook addresses answer that nobody listens on (n8n.md section 2). */
import { emptyResponse } from '../http/respond.ts';
import { problem } from './problem.ts';

const HINTS = {
  production:
    "The workflow must be active for a production URL to run successfully. You can activate the workflow using the toggle in the top-right of the editor. Note that unlike test URL calls, production URL calls aren't shown on the canvas (only in the executions list)",
  test: "Click the 'Execute workflow' button on the canvas, then try again. (In test mode, the webhook only works for one call after you click this button)",
};
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ADDRESS = /^\/(?:webhook|form)(-test|-waiting)?(?:\/(.*))?$/i;

/** The answer for a webhook address, or undefined where `url` is none. */
export function answerUnregistered(request: Request, url: URL): Response | undefined {
  const found = ADDRESS.exec(url.pathname);
  if (found === null) return undefined;
  const { method, headers } = request;
  if (!METHODS.includes(method)) return problem(500, `The method ${method} is not supported.`, { code: 0 });
  if (method === 'OPTIONS' && !headers.has('origin')) return emptyResponse(204);
  const kind = found[1]?.toLowerCase();
  const path = decoded((found[2] ?? '').replace(/\/$/, ''));
  if (kind === '-waiting') return problem(404, `The execution "${path}" does not exist.`);
  const mode = kind === '-test' ? 'test' : 'production';
  const what = mode === 'production' ? `${method} ${path}` : path;
  return problem(404, `The requested webhook "${what}" is not registered.`, { hint: HINTS[mode] });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
