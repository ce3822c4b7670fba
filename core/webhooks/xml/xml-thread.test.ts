import { afterEach, expect, it, vi } from 'vitest';
import type { SandboxThreads } from '#core/host';
import { inlineSandbox } from '#test/support/host/inline-sandbox.ts';
import { readXml, XmlError } from './read-xml.ts';
import { xmlToObject } from './to-object.ts';
import { MAX_AT_ONCE, XmlThread } from './xml-thread.ts';

const { signal } = new AbortController();
const OPTIONS = { normalize: true, lowerNames: true, arrays: false };
const LARGE = `<R>${'<Item a="1">é &lt;</Item><b>x</b>'.repeat(MAX_AT_ONCE / 20)}</R>`;

/** The inline sandbox, with a count of the messages that reached a thread. */
function countedThreads() {
  const posted = vi.fn();
  const threads: SandboxThreads = {
    start() {
      const thread = inlineSandbox.start();
      return {
        ...thread,
        post: (message) => {
          posted(message);
          thread.post(message);
        },
      };
    },
  };
  return { posted, threads };
}

let xml: XmlThread;
afterEach(() => xml.close());

it('converts a large document in a thread, with the same result', async () => {
  const { posted, threads } = countedThreads();
  xml = new XmlThread(threads);
  const expected = xmlToObject(readXml(LARGE), OPTIONS);
  const [first, second] = await Promise.all([
    xml.toObject(LARGE, OPTIONS, signal),
    xml.toObject(LARGE, OPTIONS, signal),
  ]);
  expect(first).toEqual(expected);
  expect(JSON.stringify(second)).toBe(JSON.stringify(expected));
  expect(posted).toHaveBeenCalledTimes(2);
});

it('converts a small document at once', async () => {
  const { posted, threads } = countedThreads();
  xml = new XmlThread(threads);
  expect(await xml.toObject('<a>1</a>', OPTIONS, signal)).toEqual({ a: '1' });
  expect(posted).not.toHaveBeenCalled();
});

it('has the error of the parser', async () => {
  xml = new XmlThread(inlineSandbox);
  const broken = LARGE.replace('</R>', '');
  await expect(xml.toObject(broken, OPTIONS, signal)).rejects.toThrow(XmlError);
  await expect(xml.toObject(broken, OPTIONS, signal)).rejects.toThrow('Unclosed root tag');
});

it('ends the thread when the caller leaves, and serves the next one', async () => {
  const terminated = vi.fn();
  let isStuck = true;
  xml = new XmlThread({
    start() {
      const thread = inlineSandbox.start();
      return {
        ...thread,
        post: (message) => (isStuck ? undefined : thread.post(message)),
        terminate: () => {
          terminated();
          thread.terminate();
        },
      };
    },
  });
  const caller = new AbortController();
  const stuck = xml.toObject(LARGE, OPTIONS, caller.signal);
  const next = xml.toObject(LARGE, OPTIONS, signal);
  await new Promise((done) => setTimeout(done));
  isStuck = false;
  caller.abort(new Error('left'));
  await expect(stuck).rejects.toThrow('left');
  expect(terminated).toHaveBeenCalledOnce();
  expect(await next).toBeInstanceOf(Object);
});

it('fails when the thread ends', async () => {
  let end = (_cause: Error) => {};
  const gone = new Promise<Error>((resolve) => {
    end = resolve;
  });
  xml = new XmlThread({ start: () => ({ post() {}, onMessage() {}, gone, terminate() {} }) });
  const converted = xml.toObject(LARGE, OPTIONS, signal);
  setTimeout(() => end(new Error('out of memory')));
  await expect(converted).rejects.toThrow('out of memory');
});
