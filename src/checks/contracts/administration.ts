import { toEventSelector } from 'viem/utils'
import { type BridgeLog, topicOf } from '../../bridge/bridgeLog.ts'

/** What an act of administration is about: rules choose by it. */
type AdministrationGroup = 'upgrade' | 'owner' | 'role' | 'pause' | 'threshold' | 'signer' | 'fee' | 'other'

interface KnownEvent {
  readonly group: AdministrationGroup
  /** As people say it, e.g. `upgraded`. */
  readonly what: string
  readonly signature: string
  /** Which of the values was, and which is from now on. */
  readonly before?: number
  readonly after?: number
}

const known = (
  group: AdministrationGroup,
  what: string,
  ...events: readonly (string | readonly [string, number | null, number | null])[]
): KnownEvent[] =>
  events.map((event) => {
    if (typeof event === 'string') return { group, what, signature: event }
    const [signature, before, after] = event
    return { group, what, signature, ...(before !== null && { before }), ...(after !== null && { after }) }
  })

/** Events of administration in the forms that contracts commonly give them. */
const administrationEvents: readonly KnownEvent[] = [
  ...known(
    'upgrade',
    'was upgraded',
    ['Upgraded(address)', null, 0],
    ['BeaconUpgraded(address)', null, 0],
    ['ImplementationUpgraded(address)', null, 0],
    ['ImplementationUpdated(address)', null, 0],
    ['ImplementationUpdated(address,address)', 0, 1],
    ['NewImplementation(address,address)', 0, 1],
    ['ImplementationChanged(address,address)', 0, 1],
    ['ChangedMasterCopy(address)', null, 0],
    'DiamondCut((address,uint8,bytes4[])[],address,bytes)',
    ['Initialized(uint8)', null, 0],
    ['Initialized(uint64)', null, 0],
  ),
  ...known(
    'owner',
    'was given another owner or admin',
    ['OwnershipTransferred(address,address)', 0, 1],
    ['OwnershipTransferStarted(address,address)', 0, 1],
    ['OwnerUpdated(address,address)', 0, 1],
    ['OwnerChanged(address,address)', 0, 1],
    ['AdminChanged(address,address)', 0, 1],
    ['NewAdmin(address,address)', 0, 1],
    ['NewPendingAdmin(address,address)', 0, 1],
    ['AdminUpdated(address,address)', 0, 1],
    ['GovernanceTransferred(address,address)', 0, 1],
    ['GovernorChanged(address,address)', 0, 1],
    ['NewGovernor(address)', null, 0],
    ['NewGovernor(address,address)', 0, 1],
    ['GovernanceUpdated(address,address)', 0, 1],
    ['AuthorityUpdated(address)', null, 0],
    ['AuthorityUpdated(address,address)', null, 1],
  ),
  ...known(
    'role',
    'changed who may do what',
    ['RoleGranted(bytes32,address,address)', null, 1],
    ['RoleRevoked(bytes32,address,address)', 1, null],
    ['RoleAdminChanged(bytes32,bytes32,bytes32)', 1, 2],
    ['EnabledModule(address)', null, 0],
    ['DisabledModule(address)', 0, null],
    ['ChangedGuard(address)', null, 0],
    ['ChangedModuleGuard(address)', null, 0],
    ['ChangedFallbackHandler(address)', null, 0],
    ['MinterAdded(address)', null, 0],
    ['MinterRemoved(address)', 0, null],
  ),
  ...known(
    'pause',
    'was paused',
    'Paused(address)',
    'Paused()',
    'Paused(uint256)',
    'Paused(bytes32)',
    'Paused(string)',
    'Pause()',
    'EmergencyPaused(address)',
  ),
  ...known(
    'pause',
    'was set going again',
    'Unpaused(address)',
    'Unpaused()',
    'Unpaused(uint256)',
    'Unpaused(bytes32)',
    'Unpaused(string)',
    'Unpause()',
  ),
  ...known(
    'threshold',
    'was given another threshold',
    ['ThresholdUpdated(uint256)', null, 0],
    ['ThresholdUpdated(uint256,uint256)', 0, 1],
    ['ThresholdChanged(uint256)', null, 0],
    ['ThresholdChanged(uint256,uint256)', 0, 1],
    ['ChangedThreshold(uint256)', null, 0],
    ['NewThreshold(uint256)', null, 0],
    ['ThresholdSet(uint256)', null, 0],
    ['QuorumUpdated(uint256,uint256)', 0, 1],
    ['QuorumChanged(uint256,uint256)', 0, 1],
    ['QuorumNumeratorUpdated(uint256,uint256)', 0, 1],
    ['RequirementChange(uint256)', null, 0],
    ['RelayerThresholdChanged(uint256)', null, 0],
    ['MinimumVoteWeightUpdated(uint256,uint256)', 0, 1],
    ['MinimumVoteWeightUpdated(uint256,uint256,uint256)', 2, 1],
    ['ThresholdUpdated(uint256,uint256,uint256,uint256)', 2, 0],
    ['OperatorWeightUpdated(uint256,uint256)', 0, 1],
    ['ChallengePeriodUpdated(uint256,uint256)', 0, 1],
    ['FinalizationPeriodUpdated(uint256,uint256)', 0, 1],
    ['DelayChanged(uint256,uint256)', 0, 1],
    ['MinDelayChange(uint256,uint256)', 0, 1],
    ['DailyLimitChanged(address,uint256)', null, 1],
    ['LimitUpdated(address,uint256)', null, 1],
  ),
  ...known(
    'signer',
    'was given another signer, keeper or validator',
    ['SignerUpdated(address,address)', 0, 1],
    ['SignerUpdated(address)', null, 0],
    ['SignerChanged(address,address)', 0, 1],
    ['SignerAdded(address)', null, 0],
    ['SignerRemoved(address)', 0, null],
    ['AddedOwner(address)', null, 0],
    ['RemovedOwner(address)', 0, null],
    ['OwnerAddition(address)', null, 0],
    ['OwnerRemoval(address)', 0, null],
    ['KeeperUpdated(address,address)', 0, 1],
    ['KeeperChanged(address,address)', 0, 1],
    ['KeeperUpdated(address)', null, 0],
    'ChangeBookKeeperEvent(uint256,bytes)',
    'InitGenesisBlockEvent(uint256,bytes)',
    ['ValidatorAdded(address)', null, 0],
    ['ValidatorAdded(address,uint256)', null, 0],
    ['ValidatorRemoved(address)', 0, null],
    ['ValidatorRemoved(address,uint256)', 0, null],
    ['ValidatorUpdated(address,address)', 0, 1],
    ['ValidatorUpdated(address,uint256)', null, 0],
    'ValidatorsUpdated()',
    'ValidatorSetUpdated()',
    ['ValidatorSetUpdated(bytes32)', null, 0],
    ['ValsetUpdated(bytes32)', null, 0],
    'ValsetUpdatedEvent(uint256,uint256,uint256,address,address[],uint256[])',
    ['GuardianSet(address)', null, 0],
    ['GuardianChanged(address,address)', 0, 1],
    ['GuardianUpdated(address,address)', 0, 1],
    ['GuardianSetAdded(uint32)', null, 0],
    ['OperatorAdded(address)', null, 0],
    ['OperatorRemoved(address)', 0, null],
    ['OperatorUpdated(address,address)', 0, 1],
    ['OperatorChanged(address,address)', 0, 1],
    ['RelayerAdded(address)', null, 0],
    ['RelayerRemoved(address)', 0, null],
    ['RelayerUpdated(address,address)', 0, 1],
    ['ProposerUpdated(address,address)', 0, 1],
    ['ChallengerUpdated(address,address)', 0, 1],
    ['SequencerUpdated(address,address)', 0, 1],
    ['BatcherUpdated(address,address)', 0, 1],
    ['UpdaterUpdated(address,address)', 0, 1],
    ['NewUpdater(address,address)', 0, 1],
    ['VerifierUpdated(address,address)', 0, 1],
  ),
  ...known(
    'fee',
    'was given another fee',
    ['FeeUpdated(uint256)', null, 0],
    ['FeeUpdated(uint256,uint256)', 0, 1],
    ['FeeUpdated(address,uint256)', null, 1],
    ['FeeChanged(uint256)', null, 0],
    ['FeeChanged(uint256,uint256)', 0, 1],
    ['FeeSet(uint256)', null, 0],
    ['FeeSet(address,uint256)', null, 1],
    ['FeesUpdated(uint256,uint256)', null, null],
    ['FeeRecipientUpdated(address,address)', 0, 1],
    ['FeeRecipientUpdated(address)', null, 0],
    ['FeeCollectorUpdated(address,address)', 0, 1],
    ['WithdrawalFeeUpdated(uint256,uint256)', 0, 1],
    ['WithdrawalFeeUpdated(uint256)', null, 0],
  ),
]

/** By first topic. Built by the caller once, because each takes a keccak-256. */
export function indexAdministration(): ReadonlyMap<string, KnownEvent> {
  return new Map(administrationEvents.map((event) => [toEventSelector(event.signature), event]))
}

/** An act of administration as an event says it; values that cannot be read are ''. */
export interface AdministrationAct {
  readonly group: AdministrationGroup
  readonly what: string
  /** The event's signature, the name that the configuration gives it, or its topic. */
  readonly event: string
  readonly before: string
  readonly after: string
}

/**
 * Reads an event of administration; null when it is none. `configured` holds names by topic from the configuration:
 * they go first.
 */
export function readAdministration(
  index: ReturnType<typeof indexAdministration>,
  configured: ReadonlyMap<string, string>,
  log: Pick<BridgeLog, 'topics' | 'data'>,
): AdministrationAct | null {
  const event = index.get(topicOf(log))
  const name = configured.get(topicOf(log))
  if (!event && name === undefined) return null
  if (!event) {
    const words = readWords(log)
    return {
      group: 'other',
      what: `did what the configuration calls ${name || 'administration'}`,
      event: name || topicOf(log),
      before: '',
      after: words.slice(0, 4).join(' '),
    }
  }
  const values = readValues(event.signature, log)
  return {
    group: event.group,
    what: event.what,
    event: name || event.signature,
    before: event.before === undefined ? '' : (values[event.before] ?? ''),
    after: event.after === undefined ? '' : (values[event.after] ?? ''),
  }
}

/** Simple values in the order of the signature: contracts put the indexed ones first. */
function readValues(signature: string, log: Pick<BridgeLog, 'topics' | 'data'>): string[] {
  const list = /\((.*)\)$/.exec(signature)?.[1] ?? ''
  const types = list === '' ? [] : list.split(',')
  if (types.some((type) => !/^(address|uint\d*|bytes\d+|bool)$/.test(type))) return []
  const words = readWords(log)
  return types.map((type, index) => formatWord(type, words[index] ?? ''))
}

function readWords(log: Pick<BridgeLog, 'topics' | 'data'>): string[] {
  const data = /^0x([0-9a-f]*)$/i.exec(log.data.slice(0, 2 + 64 * 8))?.[1] ?? ''
  return [...log.topics.slice(1).map((topic) => topic.replace(/^0x/, '')), ...(data.match(/.{64}/g) ?? [])]
}

function formatWord(type: string, word: string): string {
  if (!/^[0-9a-f]{64}$/i.test(word)) return ''
  if (type === 'address') return `0x${word.slice(24).toLowerCase()}`
  return type.startsWith('uint') ? BigInt(`0x${word}`).toString() : `0x${word.toLowerCase()}`
}
