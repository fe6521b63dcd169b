import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createSocket, type Socket } from 'node:dgram'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Surroundings } from '../../test/support/realMonitor.ts'

/** A network and mounts of its own: nothing but a loopback. */
export const ownNetwork: Surroundings = {
  under: ['unshare', '--net', '--mount', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'],
}

/** What becomes of packets that come in over the loopback, in the language of nft: `tcp dport 80 drop`. */
export function setPackets(...rules: readonly string[]): void {
  const chain = ['type filter hook input priority 0', ...rules].join('\n')
  execFileSync('nft', ['-f', '-'], {
    input: `table inet torture {}\ndelete table inet torture\ntable inet torture {\nchain in {\n${chain}\n}\n}\n`,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** How names are looked up within a namespace of mounts: by a file of hosts, and by a server that knows none. */
export interface Names {
  /** Lines of the file of hosts from now on. */
  know(...lines: readonly string[]): void
  /** The server says nothing any more, instead of refusing. */
  stall(): Promise<void>
  close(): void
}

export function openNames(): Names {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-names-'))
  const hosts = join(folder, 'hosts')
  const servers: Socket[] = []
  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    execFileSync('mount', ['--bind', join(folder, name), `/etc/${name}`])
  }
  put('hosts', '127.0.0.1 localhost\n')
  put('resolv.conf', 'nameserver 127.0.0.1\noptions timeout:2 attempts:2\n')
  put('nsswitch.conf', 'hosts: files dns\n')
  return {
    know: (...lines) => writeFileSync(hosts, ['127.0.0.1 localhost', ...lines, ''].join('\n')),
    async stall() {
      const server = createSocket('udp4')
      servers.push(server)
      await new Promise<void>((resolve) => server.bind(53, '127.0.0.1', resolve))
    },
    close() {
      for (const server of servers) server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
