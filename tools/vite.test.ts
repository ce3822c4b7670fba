import type { Plugin } from 'vite';
import { expect, expectTypeOf, it } from 'vitest';
import tabd, { type TabdPluginOptions } from './vite.ts';

it('returns a Vite plugin', () => {
  expectTypeOf(tabd).parameters.toEqualTypeOf<[options?: TabdPluginOptions]>();
  expectTypeOf(tabd).returns.toEqualTypeOf<Plugin>();
  expect(tabd().name).toBe('tabd');
});

it('sends the header that isolates documents only on request', () => {
  const configOf = (options: TabdPluginOptions) => (tabd(options).config as () => object)();
  const headers = { 'document-isolation-policy': 'isolate-and-credentialless' };
  expect(configOf({ isolate: true })).toMatchObject({ server: { headers }, preview: { headers } });
  expect(configOf({})).not.toHaveProperty('server');
});

it('replaces tabd-files.js by a module with the addresses below the site’s base', () => {
  const plugin = tabd();
  const hook = (name: 'configResolved' | 'load') => plugin[name] as (argument: unknown) => string | null;
  hook('configResolved')({ base: '/shop/', command: 'serve', build: {} });
  expect(hook('load')('/site/node_modules/tabd/dist/index.js')).toBeNull();
  const code = hook('load')('/site/node_modules/tabd/dist/tabd-files.js?v=1');
  expect(code).toContain('new URL("/shop/", document.baseURI)');
  expect(code).toContain("new URL('tabd/server.worker.js', base)");
});
