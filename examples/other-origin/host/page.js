import { start } from './tabd/index.js';
import { share } from './tabd/share.js';

const apis = ['local-models'];
const tabd = await start({ apis });
const sharing = share(tabd, { apis, ask });
document.documentElement.dataset.tabd = tabd.state.phase;
list();

/** What the person says about a page of another origin. */
function ask({ origin, manage }) {
  const dialog = document.querySelector('dialog');
  document.querySelector('#question').textContent =
    `May ${origin} use the models of this browser${manage ? ', and install and delete models' : ''}?`;
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.oncancel = () => resolve(false);
    for (const button of dialog.querySelectorAll('button')) {
      button.onclick = () => {
        dialog.close();
        resolve({ yes: true, once: 'once', no: false }[button.value]);
        setTimeout(list);
      };
    }
  });
}

/** Whom this browser has allowed it, each to be taken back. */
function list() {
  document.querySelector('#grants').replaceChildren(
    ...sharing.grants().map(({ origin }) => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.textContent = 'Take back';
      button.onclick = () => {
        sharing.revoke(origin);
        list();
      };
      item.append(`${origin} `, button);
      return item;
    }),
  );
}
