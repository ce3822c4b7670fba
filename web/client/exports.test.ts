/** Types of the package's exports. The type check fails when one of them changes. */
import { expectTypeOf, it } from 'vitest';
import type {
  ApiName,
  Device,
  DownloadConsent,
  ImportProgress,
  ModelError,
  ModelProgress,
  ModelStanding,
  PathReach,
  SettingValues,
  StartError,
  StartOptions,
  start,
  Tabd,
  TabdEventMap,
  TabdState,
} from './index.ts';
import type { ConnectOptions, connect, Permission, Remote, RemoteError } from './remote/remote.ts';
import type { Grant, Share, ShareOptions, ShareRequest, share } from './remote/share.ts';
import type { patchWebSocket } from './websocket.ts';

it('start takes optional options and resolves with a Tabd object', () => {
  expectTypeOf<typeof start>().parameters.toEqualTypeOf<[options?: StartOptions]>();
  expectTypeOf<typeof start>().returns.resolves.toEqualTypeOf<Tabd>();
  expectTypeOf<Record<never, never>>().toExtend<StartOptions>();
  expectTypeOf<StartOptions['apis']>().toEqualTypeOf<readonly ApiName[] | undefined>();
  expectTypeOf<StartOptions['reach']>().toEqualTypeOf<PathReach | undefined>();
  expectTypeOf<StartOptions['settings']>().toEqualTypeOf<SettingValues | undefined>();
  expectTypeOf<StartOptions['intercept']>().toEqualTypeOf<true | readonly string[] | undefined>();
  type OnConsent = NonNullable<StartOptions['onConsent']>;
  expectTypeOf<OnConsent>().parameters.toEqualTypeOf<[request: DownloadConsent, signal: AbortSignal]>();
  expectTypeOf<OnConsent>().returns.toEqualTypeOf<boolean | Promise<boolean>>();
});

it('a Tabd object replaces fetch and WebSocket', () => {
  expectTypeOf<Tabd['fetch']>().toExtend<typeof fetch>();
  expectTypeOf<Tabd['connect']>().returns.toEqualTypeOf<WebSocket>();
  expectTypeOf<Tabd['state']>().toEqualTypeOf<Readonly<TabdState>>();
  expectTypeOf<Tabd['devices']>().returns.resolves.toEqualTypeOf<Record<string, Device>>();
  expectTypeOf<Tabd['importFile']>().returns.toEqualTypeOf<AsyncIterable<ImportProgress>>();
  expectTypeOf<Tabd['bridge']>().parameter(0).toEqualTypeOf<string | undefined>();
  expectTypeOf<TabdEventMap['progress']['detail']>().toEqualTypeOf<ModelProgress>();
  expectTypeOf<TabdState['models'][string]>().toEqualTypeOf<ModelStanding>();
});

it('errors have codes', () => {
  expectTypeOf<StartError>().toExtend<Error>();
  expectTypeOf<StartError['code']>().toEqualTypeOf<
    'invalid-options' | 'no-locks' | 'no-workers' | 'server-failed' | 'version-mismatch' | 'worker-not-found'
  >();
  expectTypeOf<ModelError['code']>().toEqualTypeOf<'declined' | 'failed'>();
  expectTypeOf<ModelError['model']>().toBeString();
  expectTypeOf<RemoteError['code']>().toEqualTypeOf<'no-answer' | 'refused' | 'version'>();
});

it('share and connect use permissions', () => {
  expectTypeOf<typeof share>().returns.toEqualTypeOf<Share>();
  expectTypeOf<typeof share>().parameter(1).toEqualTypeOf<ShareOptions | undefined>();
  expectTypeOf<Tabd>().toExtend<Parameters<typeof share>[0]>();
  expectTypeOf<ShareRequest>().toExtend<Permission>();
  expectTypeOf<ReturnType<Share['grants']>>().toEqualTypeOf<Grant[]>();
  expectTypeOf<typeof connect>().parameter(1).toEqualTypeOf<ConnectOptions>();
  expectTypeOf<Window>().toExtend<Parameters<typeof connect>[0]>();
  expectTypeOf<typeof connect>().returns.resolves.toEqualTypeOf<Remote>();
  expectTypeOf<Remote['permission']>().toEqualTypeOf<Permission>();
  expectTypeOf<Remote['fetch']>().toExtend<typeof fetch>();
});

it('patchWebSocket returns a function that restores the browser’s WebSocket', () => {
  expectTypeOf<Tabd>().toExtend<Parameters<typeof patchWebSocket>[0]>();
  expectTypeOf<typeof patchWebSocket>().returns.toEqualTypeOf<() => void>();
});
