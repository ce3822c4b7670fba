import { expect, it } from 'vitest';
import { Deferred } from '#core/base';
import { CallQueue, DECLINE, offerOf } from './call-queue.ts';

it('declines an offer that arrives while the job of a client that left is removed', async () => {
  let offer = (_text: string, _sender: string) => {};
  const sent: string[] = [];
  const sockets = {
    onText(listener: typeof offer) {
      offer = listener;
    },
    async sendText(worker: string, text: string) {
      sent.push(`${worker}: ${text}`);
      return true;
    },
  };
  let ticket = '';
  const removing = new Deferred<void>();
  const removed = new Deferred<void>();
  const bull = {
    async remove() {
      removing.resolve();
      await removed.promise;
    },
  };
  const jobs = {
    bull,
    async addCall(added: string) {
      ticket = added;
    },
  };
  const queue = new CallQueue({ sockets, process: 'door' } as never, jobs as never);
  const leaving = new AbortController();
  const taking = queue.take(leaving.signal);
  await Promise.resolve();
  leaving.abort(new Error('left'));
  await removing.promise;
  offer(offerOf(ticket), 'worker');
  removed.resolve();
  await expect(taking).rejects.toThrow('left');
  expect(sent).toEqual([`worker: ${DECLINE}${ticket}`]);
});
