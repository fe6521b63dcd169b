import type { Clock } from '../../../src/lib/clock.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/createSandbox.ts'
import { parseScenario } from '../../../src/sandbox/scenario.ts'

export const startAt = Date.UTC(2026, 10, 21, 9, 0, 0)

/** One answer as it came over the socket. */
export interface Answer {
  readonly status: number
  readonly code: string
  readonly msg: string
  readonly data: Record<string, unknown>[]
}

export interface SteppedSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox
  /** Moves time on by so many milliseconds; nothing waits. */
  step(ms: number): void
  get(path: string, query?: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  zone(path: string, query?: Record<string, string>): Promise<Answer>
  main(path: string, query?: Record<string, string>): Promise<Answer>
  /** The records of E3, newest first, up to 100. */
  records(query?: Record<string, string>): Promise<Record<string, string>[]>
  rpc(method: string, ...params: unknown[]): Promise<unknown>
}

/** A started sandbox whose clock stands still until a test steps it. */
export async function startStepped(
  yaml = 'name: test',
  options: Partial<SandboxOptions> = {},
): Promise<SteppedSandbox> {
  const time = { now: startAt }
  const sandbox = createSandbox({
    clock: steppedClock(time),
    scenario: parseScenario(yaml, 'test.yaml'),
    ...options,
  })
  await sandbox.start()
  const get: SteppedSandbox['get'] = async (path, query = {}, headers = {}) => {
    const response = await fetch(`${sandbox.url}${path}?${new URLSearchParams(query).toString()}`, {
      headers,
    })
    return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) }
  }
  const zone: SteppedSandbox['zone'] = (path, query) =>
    get(`/api/v5/chain/zone/${path}`, { chainShortName: 'ZONE_CHAIN', ...query })
  return {
    sandbox,
    get,
    zone,
    step: (ms) => {
      time.now += ms
    },
    main: (path, query) => get(`/api/v5/chain/${path}`, { chainShortName: 'mainchain', ...query }),
    records: async (query) => {
      const { data } = await zone('cross/transaction-list', { limit: '100', ...query })
      return (data[0]?.data ?? []) as Record<string, string>[]
    },
    rpc: async (method, ...params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(sandbox.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const answer = (await response.json()) as { result?: unknown; error?: { code: number } }
      return answer.error ? answer : answer.result
    },
    [Symbol.asyncDispose]: () => sandbox.stop(),
  }
}

function steppedClock(time: { now: number }): Clock {
  return {
    now: () => time.now,
    monotonicMs: () => time.now,
    // Whatever sleeps wakes only when the sandbox stops.
    sleep: (_ms, signal) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true })),
  }
}

/** The records inside a page, under whatever name the endpoint keeps them. */
export function rowsOf(answer: Answer, name = 'data'): Record<string, string>[] {
  return (answer.data[0]?.[name] ?? []) as Record<string, string>[]
}
