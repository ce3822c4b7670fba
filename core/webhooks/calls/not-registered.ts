/** What webhook addresses answer that nobody listens on. */
import { problem } from '../errors.ts';
import type { CalledPath } from '../registrations/called-path.ts';

const HINTS = {
  production:
    "The workflow must be active for a production URL to run successfully. You can activate the workflow using the toggle in the top-right of the editor. Note that unlike test URL calls, production URL calls aren't shown on the canvas (only in the executions list)",
  test: "Click the 'Execute workflow' button on the canvas, then try again. (In test mode, the webhook only works for one call after you click this button)",
};

/** @param methods that the path is registered for: none, or others than the one asked for */
export function notRegistered(method: string, { mode, path }: CalledPath, methods: string[]): Response {
  if (methods.length > 0) {
    return problem(
      404,
      `This webhook is not registered for ${method} requests. Did you mean to make a ${eitherOf(methods)} request?`,
    );
  }
  const which = mode === 'test' ? 'test' : 'production';
  const what = which === 'production' ? `${method} ${path}` : path;
  return problem(404, `The requested webhook "${what}" is not registered.`, { hint: HINTS[which] });
}

/** `A`, `A or B`, `A, B or C` */
function eitherOf(methods: string[]): string {
  const [last, ...before] = [...methods].reverse();
  return before.length === 0 ? last! : `${before.reverse().join(', ')} or ${last}`;
}
