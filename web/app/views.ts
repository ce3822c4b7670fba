import { html, type TemplateResult } from 'lit';
import type { AppState } from './app-state.ts';
import './chat/chat-view.ts';
import type { IconName } from './ui/icon.ts';

/** A view below `#/`. `load` defines its element. The chat has none: it is part of the first bundle. */
export interface View {
  load?: () => Promise<unknown>;
  /** @param rest the decoded part of the address after the view's name, such as the id of a conversation */
  show(app: AppState, rest: string): TemplateResult;
  /** Its icon in the navigation, which leaves out views without one. */
  icon?: IconName;
}

/** The views by the name in their address, such as `#/models`, in the order of the navigation. */
export const VIEWS = {
  chat: {
    icon: 'chat',
    show: (app, rest) => html`<tabd-chat .app=${app} .conversationId=${rest}></tabd-chat>`,
  },
  images: {
    icon: 'image',
    load: () => import('./images/images-view.ts'),
    show: (app, rest) => html`<tabd-images .app=${app} .subview=${rest}></tabd-images>`,
  },
  workflows: {
    icon: 'workflow',
    load: () => import('./workflows/workflows-view.ts'),
    show: (app) => html`<tabd-workflows .app=${app}></tabd-workflows>`,
  },
  models: {
    icon: 'models',
    load: () => import('./models/models-view.ts'),
    show: (app) => html`<tabd-models .app=${app}></tabd-models>`,
  },
  api: {
    icon: 'code',
    load: () => import('./api/api-view.ts'),
    show: (app, rest) => html`<tabd-api .app=${app} .section=${rest}></tabd-api>`,
  },
  settings: {
    icon: 'settings',
    load: () => import('./settings/settings-view.ts'),
    show: (app) => html`<tabd-settings .app=${app}></tabd-settings>`,
  },
  // The settings link to it.
  selftest: {
    load: () => import('./selftest/selftest-view.ts'),
    show: (app) => html`<tabd-selftest .app=${app}></tabd-selftest>`,
  },
  // The settings link to it at a door of a cluster.
  cluster: {
    load: () => import('./cluster/cluster-view.ts'),
    show: () => html`<tabd-cluster></tabd-cluster>`,
  },
  // Addresses that no view has.
  'not-found': {
    load: () => import('./shell/not-found.ts'),
    show: (_app, rest) => html`<tabd-not-found .address=${rest}></tabd-not-found>`,
  },
} satisfies Record<string, View>;

export type ViewName = keyof typeof VIEWS;

/** The view of an address, and the part after its name. Without a name it is the chat. */
export function viewOf(hash: string): { name: ViewName; rest: string } {
  const [, name = '', rest = ''] = /^#\/([^/]*)(?:\/(.*))?$/.exec(hash) ?? [];
  if (name === '') return { name: 'chat', rest: '' };
  if (!Object.hasOwn(VIEWS, name)) return { name: 'not-found', rest: hash };
  try {
    return { name: name as ViewName, rest: decodeURIComponent(rest) };
  } catch {
    return { name: name as ViewName, rest: '' };
  }
}

export const linkTo = (name: string) => (name === 'chat' ? '#/' : `#/${name}`);
