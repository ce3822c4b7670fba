/** The work of a soak: each activity repeats until the end, next to all others. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiName } from '#core/http';
import { defaultGraph } from '../support/model-files/emoji-model.ts';
import { webhookNode } from '../support/webhooks/webhook-server.ts';
import { codeNode, sentWorkflow, setFields, workflowOf } from '../support/webhooks/workflow-builder.ts';
import { publishWorkflow } from '../support/webhooks/workflow-control.ts';
import type { Door, SoakAnswer } from './door.ts';

export interface Activity {
  name: string;
  /** Milliseconds between two turns. */
  pause: number;
  /** @throws Error if the server did anything but work, or fail as documented. */
  turn(door: Door, turn: number): Promise<void>;
}

export const SOAK_MODEL = 'smollm2:135m';
/** How long a prompt may take, queue included. */
const PROMPT_SECONDS = 120;
/** Every this many turns a client leaves before its answer. */
const LEAVING = 4;

const STOPPED = 'model runner has unexpectedly stopped';

function expectAnswer(answer: SoakAnswer, what: string, isFine: boolean): void {
  if (!isFine) throw new Error(`${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
}

async function get(door: Door, api: ApiName, path: string): Promise<SoakAnswer> {
  const answer = await door.send(api, { method: 'GET', path });
  expectAnswer(answer, `GET ${path}`, answer.status === 200);
  return answer;
}

const chats: Activity = {
  name: 'chats',
  pause: 200,
  async turn(door, turn) {
    const request = {
      method: 'POST',
      path: '/api/chat',
      body: {
        model: SOAK_MODEL,
        messages: [{ role: 'user', content: `What is special about the number ${turn}?` }],
        options: { num_predict: 24, seed: turn },
      },
    };
    if (turn % LEAVING === 0) return door.leave('local-models', request, 150);
    const answer = await door.send('local-models', request);
    const isAnswered = answer.text.includes('"done":true');
    // The engine may have been killed.
    expectAnswer(answer, 'chat', isAnswered || answer.text.includes(STOPPED));
  },
};

const lists: Activity = {
  name: 'lists',
  pause: 100,
  async turn(door) {
    for (const path of ['/api/tags', '/api/ps', '/api/version']) await get(door, 'local-models', path);
    for (const path of ['/queue', '/system_stats', '/models/checkpoints'])
      await get(door, 'image-workflows', path);
  },
};

const prompts: Activity = {
  name: 'prompts',
  pause: 200,
  async turn(door, turn) {
    const prompt = defaultGraph({ seed: turn, steps: 2, prefix: 'soak' });
    const submitted = await door.send('image-workflows', {
      method: 'POST',
      path: '/prompt',
      body: { prompt },
    });
    expectAnswer(submitted, 'prompt', submitted.status === 200);
    const { prompt_id: id } = JSON.parse(submitted.text) as { prompt_id: string };
    if (turn % LEAVING === 0)
      await door.send('image-workflows', { method: 'POST', path: '/interrupt', body: { prompt_id: id } });
    const until = Date.now() + PROMPT_SECONDS * 1000;
    for (;;) {
      const { text } = await get(door, 'image-workflows', `/history/${id}`);
      const entry = (JSON.parse(text) as Record<string, PromptEntry>)[id];
      if (entry) {
        await viewImages(door, entry);
        break;
      }
      if (Date.now() > until) throw new Error(`prompt ${id} has not ended after ${PROMPT_SECONDS} s`);
      await sleep(100);
    }
    const body = { delete: [id] };
    await door.send('image-workflows', { method: 'POST', path: '/history', body });
  },
};

interface PromptEntry {
  outputs: Record<string, { images?: { filename: string; subfolder: string; type: string }[] }>;
}

async function viewImages(door: Door, entry: PromptEntry): Promise<void> {
  for (const { images = [] } of Object.values(entry.outputs)) {
    for (const image of images) {
      const answer = await door.send('image-workflows', {
        method: 'GET',
        path: `/view?${new URLSearchParams({ ...image })}`,
      });
      // Another activity prunes the folder.
      expectAnswer(answer, 'view', [200, 404].includes(answer.status));
    }
  }
}

const uploads: Activity = {
  name: 'uploads',
  pause: 300,
  async turn(door, turn) {
    const form = new FormData();
    form.append('image', new Blob([`${turn} `.repeat(20_000)]), `soak-${turn % 4}.png`);
    form.append('overwrite', 'true');
    const encoded = new Response(form);
    const answer = await door.send('image-workflows', {
      method: 'POST',
      path: '/upload/image',
      headers: { 'content-type': encoded.headers.get('content-type')! },
      body: new Uint8Array(await encoded.arrayBuffer()),
    });
    expectAnswer(answer, 'upload', answer.status === 200);
  },
};

const stored = (path: string, nodes: Parameters<typeof workflowOf>[0], edges: string[]) =>
  sentWorkflow(workflowOf(nodes, edges, { name: path }));

/** The workflows that `calls` calls, by path. */
export const SOAK_WORKFLOWS = {
  'soak-last': stored('soak-last', { In: webhookNode('soak-last'), Set: setFields({ seen: 1 }) }, [
    'In -> Set',
  ]),
  'soak-code': stored(
    'soak-code',
    { In: webhookNode('soak-code'), Code: codeNode('return [{ json: { sum: 1 + 1 } }];') },
    ['In -> Code'],
  ),
  'soak-at-once': stored(
    'soak-at-once',
    { In: webhookNode('soak-at-once', { responseMode: 'onReceived' }), Set: setFields({ seen: 1 }) },
    ['In -> Set'],
  ),
};

const calls: Activity = {
  name: 'calls',
  pause: 50,
  async turn(door, turn) {
    for (const path of Object.keys(SOAK_WORKFLOWS)) {
      const answer = await door.send('webhooks', {
        method: 'POST',
        path: `/webhook/${path}`,
        body: { turn },
      });
      expectAnswer(answer, `call of ${path}`, answer.status === 200);
    }
  },
};

const publications: Activity = {
  name: 'publications',
  pause: 2000,
  async turn(door, turn) {
    const path = `soak-${turn}`;
    const id = await publishWorkflow(door.control, stored(path, { In: webhookNode(path) }, []));
    const answer = await door.send('webhooks', { method: 'POST', path: `/webhook/${path}`, body: {} });
    expectAnswer(answer, 'call of a new workflow', answer.status === 200);
    await door.control('DELETE', `/workflows/${id}`);
  },
};

/** Deletes what the other activities leave behind on purpose. */
const tidying: Activity = {
  name: 'tidying',
  pause: 3000,
  async turn(door) {
    await tidy(door);
  },
};

/** Deletes the images of prompts, and up to 250 ended executions. Returns how many of these. */
export async function tidy(door: Door): Promise<number> {
  await door.send('image-workflows', {
    method: 'POST',
    path: '/internal/files/output/prune',
    body: { max_bytes: 0 },
  });
  const { data } = (await door.control('GET', '/executions?limit=250')) as { data: Execution[] };
  const ended = data.filter(({ finished, stoppedAt }) => finished || stoppedAt);
  for (const { id } of ended) await deleteExecution(door, id);
  return ended.length;
}

/** The deletion of its workflow may have deleted the execution, too. */
async function deleteExecution(door: Door, id: string): Promise<void> {
  await door.control('DELETE', `/executions/${id}`).catch((error: Error) => {
    if (!error.message.includes('does not exist')) throw error;
  });
}

interface Execution {
  id: string;
  finished: boolean;
  stoppedAt: string | null;
}

export const ACTIVITIES: readonly Activity[] = [chats, lists, prompts, uploads, calls, publications, tidying];
