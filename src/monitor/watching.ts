import { createContractReads } from '../kernel/contractReads.ts'
import { createExplorerReads } from '../kernel/explorerReads.ts'
import { createHeartbeat } from '../checks/monitor/heartbeat.ts'
import { createRunner, type Poller } from '../kernel/runner.ts'
import { createUpkeep } from '../kernel/upkeep.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { AppConfig } from '../kernel/settings.ts'
import { checks } from '../checks/index.ts'
import type { OpenCheck } from '../kernel/check.ts'
import { createAudit } from '../checks/audit/check.ts'
import type { PartDeps } from './createMonitor.ts'
import type { Base } from './openKernel.ts'
import { createCanaryPoller } from '../checks/monitor/check.ts'
import { createEscrowPollers } from '../checks/escrow/check.ts'
import { createEvidence } from '../checks/evidence/check.ts'
import { createPollers } from '../checks/transfers/check.ts'
import { createPreconf } from '../checks/preconf/check.ts'
import { createVoice } from '../checks/monitor/voice.ts'
import { createReporting } from '../report/createReporting.ts'

const upkeepMs = 60_000

/** Everything that asks: one runner with a poller for each part, and the loop of preconfirmations beside it. */
export function createWatching(deps: PartDeps, base: Base, isAlive: () => boolean) {
  const { clock, log } = deps
  const { config, explorer, ledger, rpcs, watch } = base
  const reads = createExplorerReads(explorer, ledger, clock)
  const trigger = (name: string) => runner.trigger(name)
  const pollerDeps = {
    ...base,
    clock,
    log,
    reads,
    contractReads: createContractReads({ explorer, clock }),
    trigger,
    noteSwept: (at: UnixMs) => audit.noteSwept(at),
  }
  const opened: readonly OpenCheck[] = checks.map((check) => check.open(pollerDeps))
  const pollers = createPollers(pollerDeps)
  const listReadAt = () => pollers.listReadAt()
  const audit = createAudit({ ...pollerDeps, listReadAt, random: deps.random })
  base.hooks.push(
    {
      onTransfers: (changed, ceased, at) => audit.noteTransfers(changed, ceased, at),
      onRecords: (recorded, at) => (audit.noteListed(recorded, at), []),
    },
    ...opened,
  )
  base.horizons.follow(() => ({ ...audit.listed(), listReadAt: listReadAt() }))
  const evidence = createEvidence({
    ...pollerDeps,
    canonical: rpcs.canonical,
    listReadAt,
  })
  const preconf = createPreconf(pollerDeps)
  const upkeep = createUpkeep({
    ...base,
    clock,
    retention: config.retention,
    contracts: config.bridge.contracts,
    prune: opened.map((check) => (now: UnixMs) => check.prune?.(now)),
  })
  const { channels } = base.sending
  const voice = createVoice({ ...base, clock, log, channels })
  const runner = createRunner({ clock, log }, [
    ...pollers.list,
    ...evidence,
    ...preconf.pollers,
    ...createEscrowPollers({ ...pollerDeps, ...rpcs, watch, listReadAt }),
    ...opened.flatMap(({ pollers: own }) => own),
    ...audit.pollers,
    ...createReporting({ ...pollerDeps, channels }),
    { name: 'upkeep', schedule: upkeepMs, run: async () => (voice.note(), upkeep()) },
    ...createCanaryPoller({
      ...pollerDeps,
      channels,
      onAnswer: (...answer) => base.sending.noteAnswer(...answer),
    }),
    ...(config.heartbeat ? [toHeartbeat(config.heartbeat, isAlive)] : []),
  ])
  return {
    audit,
    /** What the checks bring to the snapshot of a tick. */
    partsOf: (now: UnixMs) => opened.map((check) => check.facts(now)),
    pollers,
    preconf,
    runner,
    voice,
    pollerStatus: () => [...runner.status(), ...preconf.status()],
  }
}

function toHeartbeat(heartbeat: NonNullable<AppConfig['heartbeat']>, isAlive: () => boolean): Poller {
  const run = createHeartbeat({ url: heartbeat.url, isAlive })
  return { name: 'heartbeat', schedule: heartbeat.everyMs, run }
}
