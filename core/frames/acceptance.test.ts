/** Whether a request may be sent elsewhere when its server does not answer. */
import { expect, test } from 'vitest';
import { get, servePair, sockets } from '#test/support/network/frame-pair.ts';
import type { FrameChannel } from './channels/frame-channel.ts';
import { NotAccepted, PeerLost } from './errors.ts';
import type { Frame } from './grammar.ts';

/** A channel that loses the frames of a type on their way to the caller. */
const losing = (channel: FrameChannel, type: Frame['type']): FrameChannel => ({
  ...channel,
  carriesBlobs: false,
  send: (frame) => channel.send(frame),
  close: () => channel.close(),
  onClose: (listener) => channel.onClose(listener),
  onFrame: (listener) => channel.onFrame((frame) => frame.type !== type && listener(frame)),
});

test.each(['GET', 'POST'])('%s without a body does not run when its acceptance is lost', async (method) => {
  const [near, far] = sockets();
  let runs = 0;
  const handler = () => {
    runs++;
    return new Response('done');
  };
  const { client, server } = servePair([losing(near, 'accept'), far], handler, undefined, {
    acceptTimeout: 50,
    confirms: true,
  });
  await expect(client.fetch(get('/', { method }))).rejects.toBeInstanceOf(NotAccepted);
  await expect.poll(() => server.running).toBe(0);
  expect(runs).toBe(0);
});

test('a request without a body is answered once its acceptance is confirmed', async () => {
  const { client } = servePair(
    sockets(),
    ({ method, body }) => Response.json({ method, hasBody: body !== null }),
    undefined,
    { confirms: true },
  );
  const response = await client.fetch(get('/', { method: 'DELETE' }));
  expect(await response.json()).toEqual({ method: 'DELETE', hasBody: false });
});

test('a server that is lost after it has accepted a request may have run it', async () => {
  const { client } = servePair(sockets(), () => new Promise<Response>(() => {}), undefined, {
    confirms: true,
  });
  let accept = () => {};
  const accepted = new Promise<void>((resolve) => {
    accept = resolve;
  });
  const answer = client.fetch(get('/', { onAccepted: accept }));
  await accepted;
  client.lose(new NotAccepted('no answer to a ping'));
  await expect(answer).rejects.toBeInstanceOf(PeerLost);
});

test('a server that is lost before it has accepted a request has not run it', async () => {
  const [near, far] = sockets();
  const { client } = servePair([losing(near, 'accept'), far], () => new Response('done'), undefined, {
    confirms: true,
  });
  const answer = client.fetch(get('/'));
  setTimeout(() => client.lose(new PeerLost('the process is gone')), 20);
  await expect(answer).rejects.toBeInstanceOf(NotAccepted);
});
