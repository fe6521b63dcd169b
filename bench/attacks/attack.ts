import { readFileSync, writeFileSync } from 'node:fs'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Order } from './hostileServer.ts'
import { createProject, endProgram, startDaemon } from '../../test/support/realMonitor.ts'

/** The real process under attack, on loopback. */
export interface Target {
  readonly pid: number
  /** Its page, without a slash at the end. */
  readonly page: string
  readonly token: string
  readonly readToken: string
  /** Explorer and RPC answer with the hostile body of this name for so long; gives how often they did. */
  answerWith(name: string, forMs: number): Promise<number>
}

/** One thing that somebody hostile does. */
export interface Attack {
  readonly name: string
  /** Does it for a few seconds at most, and gives what should not have been possible; null when it held. */
  readonly run: (target: Target) => Promise<string | null>
}

/** What the process was like under an attack. */
interface Outcome {
  readonly peakMegabytes: number
  readonly slowestReadyMs: number
  /** What should not have been; null when it held. */
  readonly problem: string | null
}

const tooSlow = '/readyz was slow'

/** Under any attack the process stays below this, and `/readyz` answers within that. */
export const bounds = { peakMegabytes: 450, readyMs: 1_000 }

const tokens = { token: 'the-token-that-may-act', readToken: 'the-token-that-may-look' }

/** A daemon, and a hostile server that it asks for everything. */
export async function openTarget(): Promise<Target & { close(): Promise<void> }> {
  const server = fork(join(import.meta.dirname, 'hostileServer.ts'))
  const [port] = await once(server, 'message')
  const url = `http://127.0.0.1:${port}`
  const project = createProject({
    url,
    http: { ...tokens, trustProxy: [] },
    more: { preconf: { url: `${url}/rpc` }, canonical: { url: `${url}/rpc` } },
  })
  const daemon = await startDaemon(project)
  const order = async (name: string | null) => {
    server.send({ name } satisfies Order)
    const [answered] = await once(server, 'message')
    return Number(answered)
  }
  return {
    ...tokens,
    pid: daemon.pid,
    page: daemon.page.replace(/\/$/, ''),
    async answerWith(name, forMs) {
      await order(name)
      await sleep(forMs)
      return order(null)
    },
    async close() {
      await endProgram(daemon)
      server.disconnect()
      project.remove()
    },
  }
}

/** The better of two where only the time was missed: on a machine with other work a slow answer proves nothing. */
export async function undergo(target: Target, attack: Attack): Promise<Outcome> {
  const first = await endure(target, attack)
  return first.problem === tooSlow ? endure(target, attack) : first
}

/** Runs an attack beside a probe that asks `/readyz` four times a second. */
async function endure(target: Target, attack: Attack): Promise<Outcome> {
  forgetPeak(target.pid)
  const probing = new AbortController()
  const probe = probeReady(target.page, probing.signal)
  const problem = await attack
    .run(target)
    .catch((error: unknown) => `the attack itself failed: ${String(error)}`)
  probing.abort()
  const slowestReadyMs = await probe
  const peakMegabytes = readPeak(target.pid)
  const toll = { peakMegabytes, slowestReadyMs }
  if (problem !== null) return { ...toll, problem }
  if (peakMegabytes === 0) return { ...toll, problem: 'the process is gone' }
  if (peakMegabytes >= bounds.peakMegabytes) return { ...toll, problem: 'too much memory' }
  return { ...toll, problem: slowestReadyMs >= bounds.readyMs ? tooSlow : null }
}

async function probeReady(page: string, signal: AbortSignal): Promise<number> {
  let slowest = 0
  do {
    const before = performance.now()
    // As kubelet and load balancers do, a connection that is refused is tried again: what counts is the time in all.
    const ask = () => fetch(`${page}/readyz`, { signal: AbortSignal.timeout(10_000) })
    const answer = await ask()
      .catch(ask)
      .catch(() => null)
    await answer?.text()
    slowest = Math.max(slowest, answer === null ? Infinity : performance.now() - before)
    await sleep(250)
  } while (!signal.aborted)
  return slowest
}

/** From here on the peak is counted anew. */
function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Then it is the highest so far, which is no less strict.
  }
}

function readPeak(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024
  } catch {
    return 0
  }
}
