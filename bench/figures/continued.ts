/** Time to the first token of a continued conversation, compared with an uncached one. */
import { makeStateHome } from '#test/contract/transports/states.ts';
import { removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import type { Figure } from '../figure.ts';
import { MODEL } from '../generation.ts';
import { median } from '../statistics.ts';

const ROUNDS = 7;

interface Message {
  role: string;
  content: string;
}

export default async function* continued(): AsyncIterable<Figure> {
  const home = await makeStateHome('ready');
  const shim = await startShim(home);
  const url = `http://127.0.0.1:${shim.ports['local-models']}/api/chat`;
  try {
    await chat(url, [{ role: 'user', content: 'Hello' }]);
    const cold: number[] = [];
    const warm: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // Each round begins with a word of its own, so that nothing is cached.
      const messages = conversation(`Story ${round} of ${Date.now()}.`);
      const first = await chat(url, messages);
      const next = [
        ...messages,
        { role: 'assistant', content: first.text },
        { role: 'user', content: 'Go on.' },
      ];
      const second = await chat(url, next);
      cold.push(first.firstToken);
      warm.push(second.firstToken);
    }
    yield { name: 'node: ms to the first token, cold', value: median(cold) };
    yield { name: 'node: ms to the first token, continued', value: median(warm) };
    yield {
      name: 'node: continued against cold',
      value: median(warm.map((value, index) => value / cold[index]!)),
      aim: '<= 0.2',
    };
  } finally {
    await shim.stop();
    await removeHome(home);
  }
}

/** A conversation of about 700 tokens. */
function conversation(start: string): Message[] {
  const line = 'The road led through the hills, past the old mill and the river, to the town by the sea. ';
  return [{ role: 'user', content: `${start} ${line.repeat(30)} What comes next?` }];
}

async function chat(url: string, messages: Message[]): Promise<{ firstToken: number; text: string }> {
  const started = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({
      model: MODEL,
      messages,
      options: { temperature: 0, seed: 1, num_predict: 12, num_ctx: 2048 },
    }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  let firstToken = 0;
  let body = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body!) {
    firstToken ||= performance.now() - started;
    body += decoder.decode(piece, { stream: true });
  }
  const lines = body.trimEnd().split('\n');
  const text = lines.map((line) => (JSON.parse(line) as { message: Message }).message.content).join('');
  return { firstToken, text };
}
