import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { openNames, ownNetwork, setPackets } from './namespace.ts'
import { demandNoMore, healthIs, toldBy } from './told.ts'
import { lacks, type Torture } from './torture.ts'

const outageToldMs = 20_000
const healthRedMs = 30_000
const healthGreenMs = 20_000
const outOf = (list: readonly string[]) => `${list.length} of ${list.length} told`

const explorerHost = 'explorer.test'
const slackHost = 'slack.test'
const byName = { explorer: { name: explorerHost }, slack: { name: slackHost } }

/** Faults of packets, addresses and names, each in a network of its own. */
export const packetTortures: readonly Torture[] = [
  {
    name: 'F100: packets to and from the explorer vanish, 30 s',
    within: ownNetwork,
    missing: () => lacks('unshare', 'ip', 'nft'),
    async run(scene) {
      const { page } = await scene.start()
      const failures = [scene.addFailure()]
      await scene.allTold(failures)
      const { port } = scene.wires.explorer
      setPackets(`tcp dport ${port} drop`, `tcp sport ${port} drop`)
      failures.push(...(await scene.addFailures(3, 500)))
      const told = await toldBy(scene, 'source-unavailable', outageToldMs)
      await healthIs(page, 503, healthRedMs)
      await sleep(15_000)
      setPackets()
      await scene.allTold(failures)
      await healthIs(page, 200, healthGreenMs)
      demandNoMore(scene, ['source-unavailable'])
      return `${outOf(failures)}, the outage after ${told} s`
    },
  },
  {
    name: 'F105: 10 % of all packets are lost, 60 s',
    within: ownNetwork,
    missing: () => lacks('unshare', 'ip', 'nft'),
    async run(scene) {
      await scene.start()
      setPackets('numgen random mod 10 == 0 drop')
      const failures = await scene.addFailures(20, 3_000)
      await scene.allTold(failures)
      // What is lost is sent again: answers come late, and now and then too late.
      demandNoMore(scene, ['source-unavailable'])
      return outOf(failures)
    },
  },
  {
    name: 'F102: names fail, are looked up in vain, and come back',
    within: ownNetwork,
    options: { wires: byName },
    missing: () => lacks('unshare', 'ip', 'mount'),
    async run(scene) {
      const names = openNames()
      const { explorer, slack } = scene.wires
      const hangUp = async () => {
        for (const wire of [explorer, slack]) await wire.turn('cut')
        for (const wire of [explorer, slack]) await wire.turn('open')
      }
      try {
        names.know(`127.0.0.1 ${explorerHost} ${slackHost}`)
        const { page } = await scene.start()
        const failures = [scene.addFailure()]
        await scene.allTold(failures)
        names.know(`127.0.0.1 ${slackHost}`)
        await hangUp()
        failures.push(scene.addFailure())
        const told = await toldBy(scene, 'source-unavailable', outageToldMs, 'name')
        names.know()
        await names.stall()
        await hangUp()
        failures.push(scene.addFailure())
        await healthIs(page, 503, healthRedMs)
        await sleep(15_000)
        names.know(`127.0.0.1 ${explorerHost} ${slackHost}`)
        await scene.allTold(failures)
        await healthIs(page, 200, healthGreenMs)
        demandNoMore(scene, ['source-unavailable'])
        return `${outOf(failures)}, the outage after ${told} s`
      } finally {
        names.close()
      }
    },
  },
  {
    name: 'F104: IPv6 alone: explorer, Slack and page on ::1',
    options: { wires: { explorer: { listen: '::1' }, slack: { listen: '::1' } }, listen: '[::1]:0' },
    async run(scene) {
      const { page } = await scene.start()
      const failures = await scene.addFailures(5, 500)
      await scene.allTold(failures)
      await healthIs(page, 200, healthGreenMs)
      demandNoMore(scene)
      return `${outOf(failures)}, page ${page}`
    },
  },
  {
    name: 'F104: an IPv6 address that swallows everything beside a good IPv4 one',
    within: ownNetwork,
    options: { wires: byName },
    missing: () => lacks('unshare', 'ip', 'mount', 'nft'),
    async run(scene) {
      const names = openNames()
      try {
        // A kind of address is looked up only where the machine has one of its kind beside loopback's.
        for (const own of ['fd00::1/128', '192.0.2.1/32'])
          execFileSync('ip', ['address', 'add', own, 'dev', 'lo'])
        setPackets('ip6 daddr fd00::1 drop')
        names.know(...[explorerHost, slackHost].flatMap((host) => [`fd00::1 ${host}`, `127.0.0.1 ${host}`]))
        const { page } = await scene.start()
        const failures = await scene.addFailures(5, 500)
        await scene.allTold(failures)
        await healthIs(page, 200, healthGreenMs)
        demandNoMore(scene)
        return outOf(failures)
      } finally {
        names.close()
      }
    },
  },
]
