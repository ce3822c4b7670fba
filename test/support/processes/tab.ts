/** An open tab of the app in a real Chromium, and requests from its page. */
import type { Browser, BrowserContext, Page } from '@playwright/test';
import type { Files } from '#core/host';

export interface TabRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

export interface TabResponse {
  status: number;
  headers: [string, string][];
  /** The body in base64. */
  body: string;
}

/** Opens the app in a new or existing browser profile, and waits until its API answers. */
export async function openAppTab(where: Browser | BrowserContext, origin: string, path = '/'): Promise<Page> {
  const page = await where.newPage();
  await page.goto(`${origin}${path}`);
  await page.waitForFunction(() => navigator.serviceWorker?.controller != null, undefined, {
    timeout: 90_000,
  });
  await page.waitForFunction(
    async () => (await fetch('/api/version').catch(() => undefined))?.ok === true,
    undefined,
    { timeout: 90_000, polling: 250 },
  );
  return page;
}

/** The folder of the tab's models: in its origin private file system. */
export function filesOfTab(page: Page): Pick<Files, 'write'> {
  return {
    async write(path, bytes) {
      const parts = ['tabd', 'files', ...path.split('/')];
      await page.evaluate(
        async ({ parts, body }) => {
          let folder = await navigator.storage.getDirectory();
          for (const part of parts.slice(0, -1)) {
            folder = await folder.getDirectoryHandle(part, { create: true });
          }
          const file = await (await folder.getFileHandle(parts.at(-1)!, { create: true })).createWritable();
          await file.write(Uint8Array.from(atob(body), (char) => char.charCodeAt(0)));
          await file.close();
        },
        { parts, body: Buffer.from(bytes).toString('base64') },
      );
      return true;
    },
  };
}

/** Copies a file of this computer to the folder of the tab's models, without the file in memory. */
export async function copyToTab(page: Page, from: string, to: string): Promise<void> {
  await page.evaluate(() => {
    const input = Object.assign(document.createElement('input'), { type: 'file', id: 'copied-file' });
    document.body.append(input);
  });
  await page.locator('#copied-file').setInputFiles(from);
  await page.evaluate(
    async (parts) => {
      const input = document.querySelector<HTMLInputElement>('#copied-file')!;
      let folder = await navigator.storage.getDirectory();
      for (const part of parts.slice(0, -1)) folder = await folder.getDirectoryHandle(part, { create: true });
      const handle = await folder.getFileHandle(parts.at(-1)!, { create: true });
      await input.files![0]!.stream().pipeTo(await handle.createWritable());
      input.remove();
    },
    ['tabd', 'files', ...to.split('/')],
  );
}

/** `fetch` in the page, without following redirects. */
export async function fetchInTab(page: Page, request: TabRequest): Promise<TabResponse> {
  return page.evaluate(
    async ({ method, path, headers, body }) => {
      const bytes =
        body === undefined ? undefined : Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
      const response = await fetch(path, {
        method,
        ...(headers && { headers }),
        ...(bytes && { body: bytes }),
        redirect: 'manual',
      });
      const answer = new Uint8Array(await response.arrayBuffer());
      let text = '';
      for (let at = 0; at < answer.length; at += 0x8000) {
        text += String.fromCharCode(...answer.subarray(at, at + 0x8000));
      }
      return { status: response.status, headers: [...response.headers], body: btoa(text) };
    },
    {
      method: request.method,
      path: request.path,
      headers: request.headers,
      body: request.body === undefined ? undefined : Buffer.from(request.body).toString('base64'),
    },
  );
}

/** Pulls a model into the tab, from the app server if that has it. */
export async function pullIntoTab(page: Page, model: string): Promise<void> {
  const pulled = page.evaluate(async (name) => {
    const response = await fetch('/api/pull', {
      method: 'POST',
      body: JSON.stringify({ model: name, stream: false }),
    });
    return response.text();
  }, model);
  // The page may ask for consent to a large download.
  let done = false;
  const yes = page.locator('tabd-consent dialog[open] button.primary');
  const answer = pulled.finally(() => {
    done = true;
  });
  while (!done) {
    if (await yes.isVisible().catch(() => false)) await yes.click();
    await Promise.race([answer, page.waitForTimeout(200)]);
  }
  return check(model, await answer);
}

function check(model: string, answer: string): void {
  if (answer !== '{"status":"success"}') throw new Error(`the tab could not pull ${model}: ${answer}`);
}
