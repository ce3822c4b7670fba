import { problem } from '../errors.ts';
import type { CalledPath } from '../registrations/called-path.ts';

/** The hints of n8n, to the letter. */
const HINTS = {
  production:
    "The workflow must be active for a production URL to run successfully. You can activate the workflow using the toggle in the top-right of the editor. Note that unlike test URL calls, production URL calls aren't shown on the canvas (only in the executions list)",
  test: "Click the 'Execute workflow' button on the canvas, then try again. (In test mode, the webhook only works for one call after you click this button)",
};

/**
 * The response to a call that no node is registered for.
 * @param methods the other methods that the path is registered for
 */
export function notRegistered(method: string, { mode, path }: CalledPath, methods: string[]): Response {
  if (methods.length > 0) {
    return problem(
      404,
      `This webhook is not registered for ${method} requests. Did you mean to make a ${anyOf(methods)} request?`,
    );
  }
  const kind = mode === 'test' ? 'test' : 'production';
  const name = kind === 'production' ? `${method} ${path}` : path;
  return problem(404, `The requested webhook "${name}" is not registered.`, { hint: HINTS[kind] });
}

/** `A`, `A or B`, `A, B or C` */
function anyOf(methods: string[]): string {
  const [last, ...others] = [...methods].reverse();
  return others.length === 0 ? last! : `${others.reverse().join(', ')} or ${last}`;
}
