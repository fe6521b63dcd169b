import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Address, Hash } from 'viem'
import { onTestFinished } from 'vitest'
import { readFinding } from '../readFinding.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { noBridge } from '../appConfig.ts'
import { send } from '../fakeExplorer.ts'
import { shippedPoll } from '../incidents.ts'
import { createLeapingClock } from '../leapingClock.ts'
import { type Monitor, startMonitor } from '../startMonitor.ts'
import type { Deployed } from './crossings.ts'
import { type Bridge, deployBridge, olderMs } from './deploy.ts'
import { answerFrom } from './explorer.ts'
import type { Contract, TestNode } from './node.ts'

const second = 1_000
const minute = 60 * second
const zoneBlockMs = 2 * second
/** Of the main chain, one for so many of the zone. */
const zoneBlocks = 2

/** A bridge of real contracts on two real nodes, and the whole daemon before it, in time that leaps. */
export interface AnvilBridge extends Pick<Bridge, 'deployed' | 'people'> {
  readonly monitor: Monitor
  deposit(from: Address, to: Address, amount: bigint): Promise<Hash>
  withdraw(from: Address, to: Address, amount: bigint): Promise<Hash>
  /** Somebody's transaction, once it is in a block. */
  act(on: TestNode, from: Address, call: readonly [Contract, string, ...unknown[]]): Promise<Hash>
  /** All that was told so far, notes too. */
  told(): (Finding & { readonly severity: string })[]
  untilTold(...kinds: readonly string[]): Promise<void>
  pass(ms: number): Promise<void>
}

/** @param pastMs how long before the daemon's first start the bridge was made */
export async function startAnvilBridge(pastMs = olderMs): Promise<AnvilBridge> {
  const clock = createLeapingClock()
  const bridge = await deployBridge(clock.now(), pastMs)
  const { deployed, people } = bridge
  const { main, zone } = deployed
  const life = { isOver: false }
  async function live(): Promise<void> {
    for (let n = 1; !life.isOver; n += 1) {
      await clock.sleep(zoneBlockMs)
      await zone.node.mine(clock.now())
      if (n % zoneBlocks === 0) await main.node.mine(clock.now())
      await bridge.relay()
    }
  }

  const served = await serve(deployed, () => clock.served.now())
  clock.start()
  const living = live()
  const monitor = await watch(deployed, served.url, clock)
  onTestFinished(async () => {
    await monitor.stop()
    life.isOver = true
    await living
    clock.stop()
    await served.close()
    await main.node[Symbol.asyncDispose]()
    await zone.node[Symbol.asyncDispose]()
  })

  const act: AnvilBridge['act'] = async (on, from, [contract, name, ...args]) => {
    const hash = await on.send(from, contract, name, args)
    const find = () =>
      on.blocks.flatMap(({ transactions }) => transactions).find(({ sent }) => sent.hash === hash)
    while (!find()) await clock.sleep(second)
    if (find()?.receipt.status !== 'success') throw new Error(`${name} was reverted`)
    return hash
  }
  const told: AnvilBridge['told'] = () =>
    monitor.app.parts.db
      .prepare('SELECT severity, finding FROM alerts ORDER BY id')
      .all()
      .map((row) => ({ ...readFinding(row), severity: String(row['severity']) }))
  return {
    monitor,
    deployed,
    people,
    deposit: (from, to, amount) => act(main.node, from, [main.escrow, 'deposit', to, amount]),
    withdraw: (from, to, amount) => act(zone.node, from, [zone.bridge, 'withdraw', to, amount]),
    act,
    told,
    async untilTold(...kinds) {
      const endAt = clock.now() + 15 * minute
      const missing = () => kinds.filter((kind) => !told().some((one) => one.kind === kind))
      while (missing().length > 0) {
        if (clock.now() > endAt) throw new Error(`not told: ${missing().join(', ')}`)
        await clock.sleep(second)
      }
    },
    pass: (ms) => clock.sleep(ms),
  }
}

/** The explorer API, and both nodes under the world's time: what a node puts into `Date` is the machine's. */
async function serve(deployed: Deployed, now: () => number) {
  const nodes: Readonly<Record<string, TestNode>> = {
    '/main': deployed.main.node,
    '/zone': deployed.zone.node,
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://bridge')
    response.setHeader('date', new Date(now()).toUTCString())
    const node = nodes[url.pathname]
    if (!node) {
      const { status, body } = answerFrom(deployed, url)
      return send(response, status, body)
    }
    void forward(node, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function forward(node: TestNode, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: await text(request),
  })
  send(response, answer.status, await answer.text())
}

/** As shipped, with everything of the bridge written down and both nodes as second sources. */
function watch({ main, zone }: Deployed, url: string, clock: Clock): Promise<Monitor> {
  const asked = { verifyAbove: '0', sample: 1, confirmations: 3 }
  const [token, escrow] = [main.token.address.toLowerCase(), main.escrow.address.toLowerCase()]
  return startMonitor({
    url,
    clock,
    timeoutMs: minute,
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    config: {
      canonical: { url: new Secret(`${url}/main`), ...asked },
      zoneRpc: {
        url: new Secret(`${url}/zone`),
        ...asked,
        contracts: [zone.bridge.address.toLowerCase()],
      },
      bridge: {
        ...noBridge,
        contracts: [escrow],
        escrows: [{ address: escrow, token, baseline: null }],
        tokens: [{ address: token, symbol: 'USDX', decimals: 6, zoneAddress: zone.token.address }],
      },
      poll: shippedPoll,
    },
  })
}
