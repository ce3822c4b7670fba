// Preloaded into a Node process: appends the host of every connection, and every name looked up, to a file.
const { appendFileSync } = require('node:fs');
const dns = require('node:dns');
const dgram = require('node:dgram');
const net = require('node:net');

const note = (host) => appendFileSync(process.env.RECORD_CONNECTIONS, `${host}\n`);

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === 'object' && first !== null && !first.path) note(first.host ?? 'localhost');
  else if (typeof first === 'number') note(typeof second === 'string' ? second : 'localhost');
  return connect.apply(this, args);
};
for (const [owner, names] of [
  [dns, ['lookup', 'resolve', 'resolve4', 'resolve6']],
  [dns.promises, ['lookup', 'resolve', 'resolve4', 'resolve6']],
]) {
  for (const name of names) {
    const real = owner[name];
    owner[name] = function (host, ...rest) {
      note(host);
      return real.call(this, host, ...rest);
    };
  }
}
const { send } = dgram.Socket.prototype;
dgram.Socket.prototype.send = function (...args) {
  note(`udp ${args.filter((arg) => typeof arg === 'string').at(-1)}`);
  return send.apply(this, args);
};
