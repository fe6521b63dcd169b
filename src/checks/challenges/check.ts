import type { Check } from '../../kernel/check.ts'
import { createMainReads } from '../../kernel/reads/mainReads.ts'
import { type ChallengesPart, givenChallenges } from './facts.ts'
import { challengeChanged } from './changed.ts'
import { challengeStuck } from './stuck.ts'
import { createChallengesPolls } from './poll.ts'
import { listUnsettled, purgeChallenges, readChallenge } from './store.ts'

const mostUnsettled = 1_000
const purgedAtOnce = 200
/** A challenge changes within days. */
const keptMs = 14 * 86_400_000

/** The challenge status of the bridge's transactions, as E6 shows it. */
export const challenges: Check<ChallengesPart> = {
  name: 'challenges',
  kinds: [challengeChanged, challengeStuck],
  given: givenChallenges,
  open(kernel) {
    const { config, db } = kernel
    const { bridge, poll, retention } = config
    const { terminal } = bridge.challenge
    kernel.challengeWords.follow({ statusOf: (hash) => readChallenge(db, hash) })
    const polls = createChallengesPolls({
      ...kernel,
      reads: createMainReads(kernel),
      contracts: bridge.contracts.map((address) => address.toLowerCase()),
      values: bridge.challenge,
    })
    const pollers = [
      { name: 'challenges', schedule: poll.challenges, run: polls.newest },
      { name: 'challengeHistory', schedule: poll.challenges, isBackground: true, run: polls.older },
    ]
    return {
      pollers: bridge.contracts.length > 0 ? pollers : [],
      facts: () => ({
        challenges: { terminal, listUnsettled: (before) => listUnsettled(db, before, mostUnsettled) },
      }),
      prune: (now) =>
        purgeChallenges(db, { ranges: now - keptMs, statuses: now - retention.transfersMs }, purgedAtOnce),
    }
  },
}
