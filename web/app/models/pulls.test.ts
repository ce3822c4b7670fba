import { expect, it } from 'vitest';
import { ModelsClient, type PullLine } from '../api-client.ts';
import { followPull, type Pull, Pulls } from './pulls.ts';

function pull(): Pull {
  return { model: 'm', status: '', total: 0, completed: 0, speed: 0, abort: new AbortController() };
}

async function* lines(...all: PullLine[]) {
  yield* all;
}

it('sums the layers and measures the speed over the last seconds', async () => {
  const shown = pull();
  let clock = 0;
  const times = [0, 1000, 2000, 7000];
  await followPull(
    lines(
      { status: 'pulling a', digest: 'a', total: 100, completed: 0 },
      { status: 'pulling a', digest: 'a', total: 100, completed: 50 },
      { status: 'pulling b', digest: 'b', total: 10 },
      { status: 'pulling b', digest: 'b', total: 10, completed: 10 },
    ),
    shown,
    () => {},
    () => times[clock++] ?? 0,
  );
  expect(shown).toMatchObject({ status: 'pulling b', total: 110, completed: 60 });
  expect(shown.speed).toBeCloseTo(2);
});

it('an import of a local file counts what is copied, once', async () => {
  const shown: Pull = { ...pull(), fromFile: true };
  const seen: [number, number][] = [];
  await followPull(
    lines(
      { status: 'copying a.gguf', total: 110, completed: 0 },
      { status: 'copying a.gguf', total: 110, completed: 100 },
      { status: 'pulling a', digest: 'a', total: 100, completed: 100 },
    ),
    shown,
    () => seen.push([shown.completed, shown.total]),
  );
  expect(seen).toEqual([
    [0, 110],
    [100, 110],
    [100, 110],
  ]);
});

function server(body: string, status = 200): ModelsClient {
  return new ModelsClient(async () => new Response(body, { status }));
}

it('lists a failed download with its error until it is restarted or dismissed', async () => {
  const pulls = new Pulls(server('{"status":"pulling manifest"}\n{"error":"no such model"}\n'), () => {});
  expect(await pulls.start('x')).toBe(false);
  expect(pulls.active).toMatchObject([{ model: 'x', error: 'no such model' }]);
  await pulls.start('x');
  expect(pulls.active).toHaveLength(1);
  pulls.dismiss(pulls.active[0]!);
  expect(pulls.active).toEqual([]);
});

it('treats a stream that ends early as a failure', async () => {
  const pulls = new Pulls(server('{"status":"pulling manifest"}\n'), () => {});
  expect(await pulls.start('x')).toBe(false);
  expect(pulls.active[0]?.error).toMatch(/before it was complete/);
});

it('reports the message of a rejected request', async () => {
  const pulls = new Pulls(server('{"error":"invalid model name"}', 400), () => {});
  await pulls.start('x y');
  expect(pulls.active[0]?.error).toBe('invalid model name');
});

it('removes a complete download', async () => {
  const pulls = new Pulls(server('{"status":"success"}\n'), () => {});
  expect(await pulls.start('x')).toBe(true);
  expect(pulls.active).toEqual([]);
});

/** A server whose download runs until it is aborted. */
function endless(): ModelsClient {
  return new ModelsClient(async (_path, init) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const line = { status: 'pulling a', digest: 'a', total: 100, completed: 40 };
        controller.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
        init?.signal?.addEventListener('abort', () => controller.error(init.signal!.reason));
      },
    });
    return new Response(body);
  });
}

it('keeps a paused download for this visit and the next, until it is resumed', async () => {
  const stored = new Map<string, string>();
  const memory = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  const pulls = new Pulls(endless(), () => {}, memory);
  const pulling = pulls.start('x');
  await expect.poll(() => pulls.active[0]?.completed).toBe(40);
  pulls.pause(pulls.active[0]!);
  expect(await pulling).toBe(false);
  expect(pulls.active).toMatchObject([{ model: 'x', paused: true, completed: 40, speed: 0 }]);

  const next = new Pulls(server('{"status":"success"}\n'), () => {}, memory);
  expect(next.active).toMatchObject([{ model: 'x', paused: true, completed: 40, total: 100 }]);
  expect(await next.start('x')).toBe(true);
  expect(new Pulls(endless(), () => {}, memory).active).toEqual([]);
});

it('removes a cancelled download', async () => {
  const pulls = new Pulls(endless(), () => {});
  const pulling = pulls.start('x');
  await expect.poll(() => pulls.active[0]?.completed).toBe(40);
  pulls.cancel(pulls.active[0]!);
  expect(await pulling).toBe(false);
  expect(pulls.active).toEqual([]);
});
