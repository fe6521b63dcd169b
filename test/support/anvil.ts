import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const binary = fileURLToPath(
  new URL('../anvil/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url),
)

/** Whether a real EVM node can be run here; says so when it cannot. */
export function hasAnvil(): boolean {
  const isThere = process.platform === 'linux' && process.arch === 'x64' && existsSync(binary)
  if (!isThere) console.log('skipped: anvil is not installed: npm ci --prefix test/anvil, on Linux x64')
  return isThere
}

export interface Anvil extends AsyncDisposable {
  readonly url: string
}

/** A real EVM node on a free port, with its usual accounts and, unless `flags` say otherwise, a block for each transaction. */
export async function startAnvil(flags: readonly string[] = []): Promise<Anvil> {
  const node = spawn(binary, ['--host', '127.0.0.1', '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<void>((resolve) => node.once('exit', () => resolve()))
  const port = await new Promise<string>((resolve, reject) => {
    let text = ''
    node.once('error', reject)
    node.once('exit', (code) => reject(new Error(`anvil ended with ${code}: ${text}`)))
    node.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      const found = /Listening on 127\.0\.0\.1:(\d+)/.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      node.kill('SIGKILL')
      await ended
    },
  }
}
