import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { browserName } from './browser-name.ts';
import { PairedTabs } from './paired-tabs.ts';
import { BRIDGE_PROTOCOL, LINK_LIFETIME, Pairing } from './pairing.ts';
import { storedPairing } from './stored-pairing.ts';

const keyOf = (name: string) => `key.a-key-of-at-least-20-characters-${name}`;
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36';

function admit(pairing: Pairing, name: string, more: string[] = [`token.${pairing.token}`]) {
  return pairing.admit([BRIDGE_PROTOCOL, keyOf(name), ...more], CHROME);
}

describe('a link', () => {
  it('admits one browser, which may come back with its key', () => {
    const pairing = new Pairing();
    const { token } = pairing;
    const tab = admit(pairing, 'a');
    expect(tab?.name).toBe('Chrome on Linux');
    expect(admit(pairing, 'b', [`token.${token}`])).toBeUndefined();
    expect(admit(pairing, 'a', [])).toBe(tab);
    expect(pairing.token).not.toBe(token);
  });

  it('expires; a new one is valid for half of the time at least', () => {
    let time = 0;
    const pairing = new Pairing(new PairedTabs(), () => time);
    const first = pairing.token;
    time = LINK_LIFETIME / 2 - 1;
    expect(pairing.token).toBe(first);
    time += 2;
    const second = pairing.token;
    expect(second).not.toBe(first);
    expect(pairing.expiry(second)).toBe(time + LINK_LIFETIME);
    time = LINK_LIFETIME;
    expect(admit(pairing, 'a', [`token.${first}`])).toBeUndefined();
    expect(admit(pairing, 'a', [`token.${second}`])).toBeDefined();
  });
});

describe('paired tabs', () => {
  it('have different names, which can be changed', () => {
    const pairing = new Pairing();
    const [a, b] = ['a', 'b'].map((name) => admit(pairing, name)!);
    expect(b!.name).toBe('Chrome on Linux 2');
    const { tabs } = pairing;
    expect(tabs.rename(a!.id, '  Laptop ').name).toBe('Laptop');
    expect(tabs.get('Laptop').id).toBe(a!.id);
    expect(() => tabs.rename(b!.id, 'Laptop')).toThrow("another browser is called 'Laptop'");
    for (const name of ['', '  ', 'x'.repeat(61), 'a\nb']) {
      expect(() => tabs.rename(b!.id, name)).toThrow('1 to 60 characters');
    }
    expect(() => tabs.rename('absent', 'x')).toThrow("no connected browser is called 'absent'");
  });

  it('keep name and home when the same browser is paired again', () => {
    const pairing = new Pairing();
    const browser = 'browser.0123456789';
    const first = admit(pairing, 'a', [`token.${pairing.token}`, browser])!;
    admit(pairing, 'b');
    pairing.tabs.rename(first.id, 'Laptop');
    const again = admit(pairing, 'c', [`token.${pairing.token}`, browser])!;
    expect([again.id, again.name]).toEqual([first.id, 'Laptop']);
    expect(pairing.tabs.home?.id).toBe(first.id);
    expect(admit(pairing, 'a', [])).toBeUndefined();
    // The id of a browser is no secret: without a link it opens nothing.
    expect(admit(pairing, 'd', [browser])).toBeUndefined();
  });

  it('lose their right when they are revoked; the oldest other tab becomes the home', () => {
    const pairing = new Pairing();
    const { token } = pairing;
    const [a, b] = ['a', 'b'].map((name) => admit(pairing, name)!);
    expect(pairing.tabs.home).toBe(a);
    pairing.tabs.revoke(a!.name);
    expect(admit(pairing, 'a', [])).toBeUndefined();
    expect(admit(pairing, 'a', [`token.${token}`])).toBeUndefined();
    expect(pairing.tabs.home).toBe(b);
  });

  it('are not more than 100', () => {
    const pairing = new Pairing();
    for (let number = 0; number < 100; number++) expect(admit(pairing, String(number))).toBeDefined();
    expect(admit(pairing, 'one more')).toBeUndefined();
  });

  it('stay as they were when a change cannot be stored', () => {
    let isFull = false;
    const save = () => {
      if (isFull) throw new Error('the disk is full');
    };
    const pairing = new Pairing(new PairedTabs({ tabs: [] }, save));
    const tab = admit(pairing, 'a')!;
    isFull = true;
    expect(() => pairing.tabs.revoke(tab.id)).toThrow('full');
    expect(pairing.tabs.list).toEqual([tab]);
  });
});

describe('stored pairings', () => {
  const inHome = async (run: (home: string) => Promise<void>) => {
    const home = await mkdtemp(join(tmpdir(), 'pairing-'));
    try {
      await run(home);
    } finally {
      await rm(home, { recursive: true });
    }
  };

  it('survive a restart, without any key, readable by their user only', () =>
    inHome(async (home) => {
      const pairing = storedPairing(home);
      admit(pairing, 'a');
      const b = admit(pairing, 'b')!;
      pairing.tabs.chooseHome(b.id);
      const after = storedPairing(home);
      expect(after.tabs.list).toEqual(pairing.tabs.list);
      expect(after.tabs.home?.id).toBe(b.id);
      expect(admit(after, 'a', [])).toBeDefined();
      const file = join(home, 'tabs.json');
      expect(await readFile(file, 'utf8')).not.toContain('a-key-of-at-least');
      if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
    }));

  it('begin with the one tab of an older version', () =>
    inHome(async (home) => {
      await writeFile(join(home, 'bridge-key'), `${keyOf('old').slice(4)}\n`);
      const pairing = storedPairing(home);
      expect(admit(pairing, 'old', [])).toMatchObject({ name: 'Browser' });
      pairing.tabs.rename('Browser', 'Laptop');
      await expect(readFile(join(home, 'bridge-key'))).rejects.toThrow('ENOENT');
      expect(admit(storedPairing(home), 'old', [])).toMatchObject({ name: 'Laptop' });
    }));

  it.each(['', 'null', '{"tabs":7}', '{"tabs":[7,{"id":1}]}', 'no JSON'])('begin empty with %j', (text) =>
    inHome(async (home) => {
      await writeFile(join(home, 'tabs.json'), text);
      expect(storedPairing(home).tabs.list).toEqual([]);
    }),
  );
});

it.each([
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/156.0 Safari/537.36 Edg/156.0', 'Edge on Windows'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/26.0 Safari/605.1.15', 'Safari on macOS'],
  ['Mozilla/5.0 (Android 15; Mobile) Gecko/146.0 Firefox/146.0', 'Firefox on Android'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) CriOS/156.0 Mobile Safari/604.1',
    'Chrome on iPhone',
  ],
  ['', 'Browser'],
])('names %j', (agent, name) => {
  expect(browserName(agent)).toBe(name);
});
