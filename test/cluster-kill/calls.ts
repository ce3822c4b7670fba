/** Calls webhooks through the doors, and writes down what each caller got. */
import { request } from 'node:http';
import type { CallKind } from './workflows.ts';

/** Milliseconds after which a caller without an answer or an error counts as hanging. */
export const HANG = 120_000;

/** The answer to a caller: a status, a connection that ended without one, or nothing at all. */
export type Outcome = number | 'disconnected' | 'hang';

export interface Call {
  id: string;
  kind: CallKind;
  /** Milliseconds since 1970. */
  begin: number;
  end: number;
  outcome: Outcome;
  text: string;
}

/**
 * Makes one call. Never rejects. A door that refuses the connection is not the one that a load balancer would choose, so the
 * next one is tried.
 * @param ports those of the doors, in the order in which they are tried
 */
export async function makeCall(id: string, kind: CallKind, ports: number[], body: string): Promise<Call> {
  const begin = Date.now();
  const done = (outcome: Outcome, text: string): Call => ({
    id,
    kind,
    begin,
    end: Date.now(),
    outcome,
    text,
  });
  for (const port of ports) {
    try {
      const { status, text } = await exchange(port, `/webhook/${kind.path}?call=${id}`, kind.method, body);
      return done(status, text);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED') continue;
      return done(message === 'hang' ? 'hang' : 'disconnected', message);
    }
  }
  return done('disconnected', 'no door runs');
}

function exchange(
  port: number,
  path: string,
  method: string,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    // A connection of its own: one that is kept might break before the request is sent.
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => settle(() => resolve({ status: response.statusCode!, text })));
      response.on('error', (error) => settle(() => reject(error)));
    });
    const timer = setTimeout(() => sent.destroy(new Error('hang')), HANG);
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      finish();
    };
    sent.on('error', (error) => settle(() => reject(error)));
    sent.end(method === 'POST' ? body : undefined);
  });
}
