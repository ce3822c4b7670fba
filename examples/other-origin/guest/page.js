import { connect, RemoteError } from './tabd/remote.js';

// Where the site that shares is; `?host=` for trying it out.
const host = new URL(new URLSearchParams(location.search).get('host') ?? 'http://localhost:8081/');
const answer = document.querySelector('#answer');

/** In a frame that nobody sees: works once the permission was given in a window, on the same site. */
async function inFrame() {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.src = host.href;
  document.body.append(frame);
  try {
    return await connect(frame.contentWindow, { origin: host.origin });
  } catch (error) {
    frame.remove();
    if (error instanceof RemoteError && error.code === 'refused') return undefined;
    throw error;
  }
}

async function use(remote) {
  const response = await remote.fetch('/api/version');
  answer.textContent = `API level ${(await response.json()).version}`;
  remote.closed.then(({ message }) => {
    answer.textContent = message;
  });
  document.documentElement.dataset.remote = 'connected';
}

const remote = await inFrame();
if (remote) await use(remote);
document.documentElement.dataset.frame = remote ? 'allowed' : 'refused';
document.querySelector('#connect').addEventListener('click', async () => {
  // The window answers for as long as it is open.
  await use(await connect(window.open(host, 'tabd', 'popup,width=480,height=360'), { origin: host.origin }));
});
