import { Socket } from 'node:net'

// A test that reaches beyond this machine fails, wherever the connection was made: undici, nodemailer and fetch all
// end in a socket's connect. Names other than localhost are refused before they are looked up.
// eslint-disable-next-line typescript/unbound-method -- called below with its own `this`
const connect = Socket.prototype.connect

Socket.prototype.connect = function guarded(this: Socket, ...args: unknown[]) {
  const host = hostOf(args)
  if (!isLoopback(host)) throw new Error(`tests must not leave this machine: connection to ${host}`)
  return Reflect.apply(connect, this, args) as Socket
}

function hostOf(args: readonly unknown[]): string {
  const [first, second] = args
  // net.connect passes its normalised arguments as one array.
  if (Array.isArray(first)) return hostOf(first as readonly unknown[])
  if (typeof first === 'object' && first !== null) {
    if ('path' in first && typeof first.path === 'string') return 'localhost'
    return 'host' in first && typeof first.host === 'string' ? first.host : 'localhost'
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return 'localhost' // a socket's path
  return typeof second === 'string' ? second : 'localhost'
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(\.\d{1,3}){3}\]?)$/i.test(host)
}
