import type { CallContext } from '#core/http';
import type { PortGate } from './port-gate.ts';

type Leave = (status: number) => void;

/** The requests that have passed the gates of a port, until their exchanges end. */
export class PassedGates {
  readonly #passed = new WeakMap<Request, { leave: Leave[]; status?: number }>();

  constructor(private readonly gates: readonly PortGate[]) {}

  /**
   * Passes a request through all gates, at once if none of them has to wait.
   * @returns the response of the first gate that refuses
   */
  enter(
    request: Request,
    context: CallContext,
    from = 0,
  ): Response | undefined | Promise<Response | undefined> {
    const entry = this.#passed.get(request) ?? { leave: [] };
    this.#passed.set(request, entry);
    for (let at = from; at < this.gates.length; at++) {
      const answer = this.gates[at]!(request, context);
      if (answer instanceof Promise) {
        return answer.then((late) => {
          if (late instanceof Response) return late;
          // The client may have disconnected meanwhile.
          if (late && entry.status !== undefined) late(entry.status);
          else if (late) entry.leave.push(late);
          return this.enter(request, context, at + 1);
        });
      }
      if (answer instanceof Response) return answer;
      if (answer) entry.leave.push(answer);
    }
    return undefined;
  }

  /** The exchange of a request has ended. */
  leave(request: Request, status: number): void {
    const entry = this.#passed.get(request);
    if (!entry) return;
    entry.status = status;
    for (const leave of entry.leave.splice(0)) leave(status);
  }
}
