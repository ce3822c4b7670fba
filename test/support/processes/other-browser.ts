/** Installed browsers other than Chromium: opened at an address, and controlled by scripts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { freePorts } from './shim.ts';

export interface OtherBrowser {
  /** Its name and version. */
  readonly name: string;
  /** Runs the body of an async function in the page. Its result has to be JSON. */
  run<T>(body: string): Promise<T>;
  close(): Promise<void>;
}

export const FIREFOX = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path));
const MINI_BROWSER = ['x86_64', 'aarch64']
  .flatMap((cpu) =>
    ['4.1', '4.0', '6.0'].map((api) => `/usr/lib/${cpu}-linux-gnu/webkit2gtk-${api}/MiniBrowser`),
  )
  .find((path) => existsSync(path));
export const WEBKIT =
  MINI_BROWSER && existsSync('/usr/bin/WebKitWebDriver') && existsSync('/usr/bin/Xvfb')
    ? MINI_BROWSER
    : undefined;

/** Firefox without a window, by its own WebDriver BiDi. */
export async function openFirefox(url: string): Promise<OtherBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'tabd-firefox-'));
  // Without first-run pages and background requests.
  const preferences = {
    'browser.shell.checkDefaultBrowser': false,
    'browser.aboutwelcome.enabled': false,
    'datareporting.policy.dataSubmissionEnabled': false,
    'app.normandy.enabled': false,
    'remote.active-protocols': 1,
  };
  await writeFile(
    join(profile, 'user.js'),
    Object.entries(preferences)
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${value});\n`)
      .join(''),
  );
  const child = spawn(
    FIREFOX!,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const close = async () => {
    await end(child);
    await rm(profile, { recursive: true, force: true });
  };
  try {
    const address = await said(child, /WebDriver BiDi listening on (ws:\/\/\S+)/);
    const socket = new WebSocket(`${address}/session`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    let last = 0;
    const waiting = new Map<number, (message: BidiMessage) => void>();
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as BidiMessage;
      waiting.get(message.id)?.(message);
    });
    const send = (method: string, params: object) =>
      new Promise<BidiMessage['result']>((resolve, reject) => {
        const id = ++last;
        waiting.set(id, (message) => {
          waiting.delete(id);
          if (message.error) reject(new Error(`${message.error}: ${message.message}`));
          else resolve(message.result);
        });
        socket.send(JSON.stringify({ id, method, params }));
      });
    const { capabilities } = (await send('session.new', { capabilities: {} })) as {
      capabilities: { browserVersion: string };
    };
    const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: { context: string }[] };
    const { context } = contexts[0]!;
    await send('browsingContext.navigate', { context, url, wait: 'complete' });
    return {
      name: `Firefox ${capabilities.browserVersion}`,
      async run<T>(body: string) {
        const expression = `(async () => { ${body} })().then((value) => JSON.stringify(value ?? null))`;
        const target = { context };
        const reply = (await send('script.evaluate', { expression, target, awaitPromise: true })) as {
          type: string;
          result?: { value: string };
          exceptionDetails?: { text: string };
        };
        if (reply.exceptionDetails) throw new Error(reply.exceptionDetails.text);
        return JSON.parse(reply.result!.value) as T;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface BidiMessage {
  id: number;
  result?: unknown;
  error?: string;
  message?: string;
}

/** WebKitGTK's small browser, by WebDriver, on a virtual screen. */
export async function openWebKit(url: string): Promise<OtherBrowser> {
  const [port] = await freePorts(1);
  const display = `:${90 + (process.pid % 900)}`;
  const screen = spawn('Xvfb', [display, '-screen', '0', '1024x768x24', '-nolisten', 'tcp'], {
    stdio: 'ignore',
  });
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: display,
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
    },
  });
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: { error?: string; message?: string } };
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value as unknown;
  };
  let session = '';
  const close = async () => {
    if (session) await ask('DELETE', session).catch(() => {});
    await end(driver);
    await end(screen);
  };
  try {
    const until = Date.now() + 20_000;
    while (!(await ask('GET', '/status').catch(() => undefined))) {
      if (Date.now() > until) throw new Error('WebKitWebDriver does not answer');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const options = { binary: WEBKIT, args: ['--automation'] };
    const created = (await ask('POST', '/session', {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
    })) as { sessionId: string; capabilities: { browserVersion: string } };
    session = `/session/${created.sessionId}`;
    await ask('POST', `${session}/timeouts`, { script: 240_000, pageLoad: 60_000 });
    await ask('POST', `${session}/url`, { url });
    return {
      name: `WebKitGTK ${created.capabilities.browserVersion}`,
      async run<T>(body: string) {
        const script =
          `const done = arguments[0]; (async () => { ${body} })()` +
          '.then((value) => done(JSON.stringify({ value: value ?? null })), (error) => done(JSON.stringify({ error: String(error) })));';
        const reply = JSON.parse(
          (await ask('POST', `${session}/execute/async`, { script, args: [] })) as string,
        ) as {
          value: T;
          error?: string;
        };
        if (reply.error) throw new Error(reply.error);
        return reply.value;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function said(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`the browser did not begin; it said:\n${text}`)), 60_000);
    child.stderr!.on('data', (data) => {
      text += data;
      const found = pattern.exec(text)?.[1];
      if (!found) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once('exit', () => reject(new Error(`the browser ended; it said:\n${text}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await ended;
  clearTimeout(timer);
}
