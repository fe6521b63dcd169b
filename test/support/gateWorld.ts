import { createSilentLog } from '../../src/lib/log.ts'
import type { GateView } from '../../src/web/gate/toGateView.ts'
import { createWebApp } from '../../src/web/createWebApp.ts'
import { createWebDeps } from '../../src/web/views/createWebDeps.ts'
import {
  type BridgeWorld,
  calmPoll,
  type BridgeWorldOptions,
  createBridgeWorld,
  escrow,
  token,
} from './bridgeWorld.ts'
import type { WireRecord } from './fakeExplorer.ts'

export const second = 1_000
export const minute = 60_000
export const unpaid = { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' }

/** Quick where a test waits for it, calm where it does not. */
const quickPoll = {
  ...calmPoll,
  transfers: '*/5 * * * * *',
  openTransfers: '*/10 * * * * *',
  heads: '*/10 * * * * *',
}

/** A bridge of which the monitor has seen enough withdrawals to know what one looks like. */
export async function openGate(options: BridgeWorldOptions = {}) {
  const world = await createBridgeWorld({
    ...options,
    config: { poll: quickPoll, ...options.config },
    bridge: { escrows: [{ address: escrow, token, baseline: null }], ...options.bridge },
  })
  const { parts } = world.monitor.app
  const app = createWebApp(createWebDeps({ clock: parts.clock, log: createSilentLog() }, parts), {
    listenHost: '127.0.0.1',
    token: null,
  })
  const get = (name: string, query = '') =>
    app.request(`http://127.0.0.1/api/transfers/${encodeURIComponent(name)}/verdict${query}`)
  const ask = async (name: string, query = ''): Promise<GateView> =>
    (await (await get(name, query)).json()) as GateView
  await world.pass(5 * second)
  for (let n = 1; n <= 5; n += 1) await leave(world, n, { mainBlockTime: String(world.now()) })
  await world.pass(2 * minute)
  return { ...world, get, ask }
}

/** A withdrawal of now. */
export async function leave(world: BridgeWorld, n: number, record: WireRecord = {}): Promise<string> {
  const { zoneTxHash = '' } = world.withdraw(n, {
    zoneBlockTime: String(world.now()),
    zoneBlockHeight: String(world.fake.zoneHead()),
    mainBlockHeight: String(world.fake.mainHead()),
    ...record,
  })
  await world.pass(second)
  return zoneTxHash
}

/** Level and code of every reason. */
export const codes = ({ reasons, transfers }: GateView) =>
  [...reasons, ...transfers.flatMap((one) => one.reasons)].map(({ level, code }) => `${level} ${code}`)
