/** The official editor of image workflows in a browser, before the port of a running server. */
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { type FrontendProxy, frontendProxy } from './frontend-proxy.ts';
import packages from './packages.json' with { type: 'json' };
import { pythonArchive } from './python-archive.ts';

export type FrontendVersion = keyof typeof packages;

/** Serves an editor and its templates in front of this port. Downloads both packages at the first call. */
export async function openFrontend(version: FrontendVersion, port: number): Promise<FrontendProxy> {
  const { frontend, templates } = packages[version];
  return frontendProxy({
    static: await packageFolder(frontend, 'static', (path) => !path.endsWith('.map')),
    templates: await templatesFolder(templates),
    port,
  });
}

/** The folder of the templates of an editor, without their images. */
export const templatesOf = (version: FrontendVersion): Promise<string> =>
  templatesFolder(packages[version].templates);

/** The folder of the templates in a package, without their images. @param requirement `NAME==VERSION` */
export const templatesFolder = (requirement: string): Promise<string> =>
  packageFolder(requirement, 'templates', (path) => path.endsWith('.json'));

async function packageFolder(
  requirement: string,
  folder: string,
  chosen: (path: string) => boolean,
): Promise<string> {
  const inside = `${requirement.split('==')[0]!.replaceAll('-', '_')}/${folder}`;
  const files = await pythonArchive(requirement, (path) => path.startsWith(`${inside}/`) && chosen(path));
  return join(files, inside);
}

/** Requests and messages that an editor may cause, and why. */
const EXPECTED: readonly [pattern: RegExp, reason: string][] = [
  [/\/user\.css 404/, 'a style sheet that the user may write; the real server answers the same'],
  [/\/api\/userdata\?dir=(workflows|subgraphs)\S* 404/, 'folders that the first saved file makes'],
  [/\/api\/userdata\/comfy\.templates\.json 404/, 'a file that the first saved node template makes'],
  [
    /Failed to load resource/,
    'the browser prints it for each of these requests, which are compared themselves',
  ],
  [
    /Error fetching file size/,
    'the editor asks a hub for the sizes of missing models; the test lets nothing out',
  ],
  [
    /Cannot read properties of undefined \(reading 'id'\)\s+at onChange/,
    'version 1.27 changes two settings of the mouse before it has declared them',
  ],
];

export interface FrontendPage {
  page: Page;
  /** Failed requests, failed answers and errors of the page that nobody expects. */
  problems: string[];
}

/** Opens the editor in a browser without any stored data. Requests to other hosts fail. */
export async function frontendPage(context: BrowserContext, origin: string): Promise<FrontendPage> {
  const problems: string[] = [];
  const note = (problem: string) => {
    if (!EXPECTED.some(([pattern]) => pattern.test(problem))) problems.push(problem);
  };
  await context.route(
    (url) => url.protocol.startsWith('http') && url.origin !== origin,
    (route) => route.abort(),
  );
  const page = await context.newPage();
  page.on('pageerror', (error) => note(error.stack ?? String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') note(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400)
      note(`${response.request().method()} ${response.url()} ${response.status()}`);
  });
  page.on('requestfailed', async (request) => {
    // An answer without a body counts as failed, too.
    const answered = await request.response().catch(() => null);
    if (!answered && request.url().startsWith(origin))
      note(`${request.method()} ${request.url()} ${request.failure()?.errorText}`);
  });
  await page.goto(`${origin}/`);
  return { page, problems };
}
