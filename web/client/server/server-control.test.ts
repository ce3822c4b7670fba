import { expose, type Remote } from 'comlink';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ConsentPage, type ImportLine, type ServerControl, serverLock } from '#relay';
import { FakeLocks } from '#test/support/browser/fake-locks.ts';
import type { OwnedServer } from '../leadership/owned-server.ts';
import { ServerControlClient } from './server-control.ts';

const ports: MessagePort[] = [];
let locks: FakeLocks;

/** A client of `control`, which the server worker of the epoch exposes on each port. */
function clientOf(control: Partial<ServerControl>, own: { epoch: number }, onConsent?: () => boolean) {
  const attach = vi.fn((port: MessagePort) => {
    ports.push(port);
    expose(control, port);
  });
  const client = new ServerControlClient(
    {
      scope: '/',
      ownServer: () => ({ name: { schema: 1, page: 'a', ...own }, attach }) as unknown as OwnedServer,
      serviceWorker: () => undefined,
    },
    onConsent,
  );
  return { client, attach };
}

/** Holds the lock of a living server. */
const serve = (epoch: number) =>
  void locks.request(serverLock('/', { schema: 1, epoch, page: 'a' }), () => new Promise(() => {}));

const file = new File(['x'], 'x.gguf');

beforeEach(() => {
  locks = new FakeLocks();
  vi.stubGlobal('navigator', { locks });
});
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
  vi.unstubAllGlobals();
});

it('connects once for each server, and anew to a newer one', async () => {
  const own = { epoch: 1 };
  const { client, attach } = clientOf({ devices: async () => ({}) }, own);
  serve(1);
  await client.devices();
  await client.devices();
  expect(attach).toHaveBeenCalledTimes(1);
  own.epoch = 2;
  serve(2);
  await client.devices();
  expect(attach).toHaveBeenCalledTimes(2);
  client.close();
});

it('fails when no tab answers, and when only another tab does that no port reaches', async () => {
  const { client } = clientOf({ devices: async () => ({}) }, { epoch: 1 });
  await expect(client.devices()).rejects.toThrow('No open tab answers.');
  serve(5);
  await expect(client.devices()).rejects.toThrow('Without a service worker');
});

it('yields the lines of an import in order, then ends', async () => {
  const { client } = clientOf(
    {
      async importFiles(name, _files, onLine) {
        await onLine({ status: `reading ${name}` });
        await onLine({ status: 'success' });
      },
    },
    { epoch: 1 },
  );
  serve(1);
  const lines: ImportLine[] = [];
  for await (const line of client.importFiles('tiny', [file])) lines.push(line);
  expect(lines).toEqual([{ status: 'reading tiny' }, { status: 'success' }]);
  client.close();
});

it('throws the failure of an import after its lines', async () => {
  const { client } = clientOf(
    {
      async importFiles(_name, _files, onLine) {
        await onLine({ status: 'reading' });
        throw new Error('the file is damaged');
      },
    },
    { epoch: 1 },
  );
  serve(1);
  const lines = client.importFiles('tiny', [file]);
  expect((await lines.next()).value).toEqual({ status: 'reading' });
  await expect(lines.next()).rejects.toThrow('the file is damaged');
  client.close();
});

it.each(['its signal aborts', 'its reader stops'])('stops an import in the server when %s', async (cause) => {
  let stopped!: (message: unknown) => void;
  const stop = new Promise((resolve) => {
    stopped = resolve;
  });
  const { client } = clientOf(
    {
      async importFiles(_name, _files, onLine, port) {
        port.onmessage = ({ data }) => stopped(data);
        ports.push(port);
        await onLine({ status: 'reading' });
        await new Promise(() => {});
      },
    },
    { epoch: 1 },
  );
  serve(1);
  const controller = new AbortController();
  const lines = client.importFiles('tiny', [file], controller.signal);
  await lines.next();
  if (cause === 'its reader stops') await lines.return(undefined);
  else {
    controller.abort(new Error('enough'));
    await expect(lines.next()).rejects.toThrow('enough');
  }
  expect(await stop).toBe('stop');
  client.close();
});

it('asks the page for consent', async () => {
  let page: Remote<ConsentPage> | undefined;
  const { client } = clientOf(
    {
      async onConsent(consentPage) {
        page = consentPage as unknown as Remote<ConsentPage>;
      },
    },
    { epoch: 1 },
    () => true,
  );
  serve(1);
  await client.offerConsent();
  expect(await page!.ask(1, { model: 'tiny', bytes: 1 } as never)).toBe(true);
  client.close();
});
