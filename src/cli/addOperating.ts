import type { Command } from 'commander'
import type { Io } from './io.ts'
import { type Finish, by, config, exactJson, examples, json } from './commandOptions.ts'
import { addCases } from './addCases.ts'

/** Commands that look at what is wrong and at its messages, and change what is said of it. */
export function addOperating(program: Command, io: Io, finish: Finish): void {
  const breaks = program.command('breaks').description('what does not reconcile, and settling it by hand')
  addBreaks(breaks, io, finish)
  addCases(program.command('cases').description('what is to be dealt with: look at it, take it'), io, finish)
  addAlerts(program.command('alerts').description('look at alerts, and acknowledge them'), io, finish)
  addSilences(program.command('silences').description('silence alerts for a while'), io, finish)
  addOutbox(program.command('outbox').description('messages that are queued or were set aside'), io, finish)
  program
    .command('audit')
    .description('who changed what')
    .command('list')
    .description('what people changed, newest first: who, when and from where')
    .addOption(config())
    .option('--limit <n>', 'how many at most', '50')
    .addOption(json())
    .addHelpText('after', examples('audit list', 'audit list --limit 1000 --json'))
    .action(async (options) => finish((await import('./audit.ts')).listAudit(io, options)))
  program
    .command('channels')
    .description('try channels')
    .command('test')
    .description('send one message that says that it is a test, and say what came back')
    .argument('<name>', 'the name of a channel in the configuration')
    .addOption(config())
    .addOption(json())
    .addHelpText('after', examples('channels test ops-slack'))
    .action(async (name: string, options) =>
      finish(await (await import('./testChannel.ts')).testChannel(io, name, options)),
    )
  program
    .command('routes')
    .description('try routes')
    .command('test')
    .description('which channels would get an alert with these labels now, and why')
    .argument('<labels...>', 'label=value; rule=NAME brings the kind, severity and labels of that rule')
    .addOption(config())
    .option('--at <time>', 'at that moment, not now: an ISO time, or a duration from now')
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'routes test rule=withdrawal-stalled symbol=USDC',
        'routes test severity=critical team=bridge',
        'routes test severity=warning --at 2026-12-24T20:00:00Z',
      ),
    )
    .action(async (labels: string[], options) =>
      finish(await (await import('./testRoutes.ts')).testRoutes(io, labels, options)),
    )
}

function addBreaks(breaks: Command, io: Io, finish: Finish): void {
  breaks
    .command('list')
    .description('what does not reconcile, the oldest first, and what people settled of it')
    .addOption(config())
    .option('--token <token>', 'symbol, or token contract')
    .option('--min <amount>', 'at least so much is left, in token units')
    .option('--older-than <duration>', 'since at least so long, such as 2d')
    .option('--state <state>', 'open, settled (by hand) or all', 'open')
    .option('--sort <order>', 'age, or amount: the largest first', 'age')
    .option('--limit <n>', 'how many at most', '50')
    .addOption(exactJson())
    .option('--csv', 'print CSV')
    .action(async (options) => finish((await import('./breaks.ts')).listBreaks(io, options)))
  breaks
    .command('match')
    .description('this payout belongs to that origin: what one is more than the other stays a break')
    .argument('<payout>', 'a transfer or a movement, by key, id, hash or name')
    .argument('<origin>', 'the same')
    .requiredOption('--reason <text>', 'why')
    .option('--force', 'also of different tokens, and where nobody knows how much it is')
    .addOption(by())
    .addOption(config())
    .addOption(exactJson())
    .action(async (payout: string, origin: string, options) =>
      finish(await (await import('./breaks.ts')).matchBreaks(io, { payout, origin }, options)),
    )
  breaks
    .command('write-off')
    .description('takes a break off the list, as an entry that says why')
    .argument('<name>', 'a transfer or a movement, by key, id, hash or name')
    .requiredOption('--reason <text>', 'why')
    .addOption(by())
    .addOption(config())
    .addOption(exactJson())
    .action(async (name: string, options) =>
      finish(await (await import('./breaks.ts')).writeOffBreak(io, name, options)),
    )
  breaks
    .command('undo')
    .description('takes an entry back: what it settled is a break again')
    .argument('<entry>', 'as listed, such as e3')
    .requiredOption('--reason <text>', 'why')
    .addOption(by())
    .addOption(config())
    .addOption(exactJson())
    .action(async (entry: string, options) =>
      finish(await (await import('./breaks.ts')).undoEntry(io, entry, options)),
    )
}

function addAlerts(alerts: Command, io: Io, finish: Finish): void {
  alerts
    .command('list')
    .description('alerts, newest change first')
    .addOption(config())
    .option('--open', 'only conditions that are pending or firing')
    .option('--severity <severities>', 'critical, warning or info; several with commas between')
    .option('--rule <name>', 'of this rule')
    .option('--since <time>', 'changed since: a duration back such as 6h, or an ISO time')
    .option('--limit <n>', 'how many at most', '50')
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'alerts list --open',
        'alerts list --severity critical --since 24h',
        'alerts list --rule transfer-failed --limit 500 --json',
      ),
    )
    .action(async (options) => finish(await (await import('./alerts.ts')).listAlerts(io, options)))
  alerts
    .command('show')
    .description('one alert: what was decided about it and why, and every message')
    .argument('<id>', 'its id, or how it begins')
    .addOption(config())
    .addOption(json())
    .addHelpText('after', examples('alerts show 612cb0aa'))
    .action(async (id: string, options) =>
      finish(await (await import('./alerts.ts')).showAlert(io, id, options)),
    )
  alerts
    .command('ack')
    .description('acknowledge it: no reminders until it fires again; its end is sent')
    .argument('<id>', 'its id, or how it begins')
    .addOption(config())
    .addOption(by())
    .addOption(json())
    .addHelpText('after', examples('alerts ack 612cb0aa --by ana'))
    .action(async (id: string, options) =>
      finish(await (await import('./alerts.ts')).ackAlert(io, id, options)),
    )
}

function addSilences(silences: Command, io: Io, finish: Finish): void {
  toSilence(silences.command('add'))
    .description('silence the alerts whose labels match all of these, until the silence ends')
    .option('--comment <text>', 'why; required')
    .addOption(by())
    .option('--preview', 'say what it would match, and make nothing')
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'silences add rule=withdrawal-stalled symbol=USDC --for 2h --comment "token migration"',
        'silences add --transfer t42 --comment "asked the relayer" --by ana',
        'silences add "kind=~source\\..*" --until 2026-12-01T06:00:00Z --comment "explorer maintenance" --by ana',
      ),
    )
    .action(async (matchers: string[], options) =>
      finish(await (await import('./silences.ts')).addSilence(io, matchers, options)),
    )
  toSilence(silences.command('preview'))
    .description('which alerts a silence would match: now, and of the past week')
    .addOption(json())
    .addHelpText(
      'after',
      examples('silences preview rule=withdrawal-stalled', 'silences preview --transfer t42'),
    )
    .action(async (matchers: string[], options) =>
      finish(await (await import('./silences.ts')).previewSilence(io, matchers, options)),
    )
  silences
    .command('list')
    .description('silences that hold, and those that will')
    .addOption(config())
    .option('--all', 'those that are over too')
    .addOption(json())
    .action(async (options) => finish((await import('./silences.ts')).listSilences(io, options)))
  silences
    .command('expire')
    .description('end a silence now')
    .argument('<id>', 'its number')
    .addOption(config())
    .addOption(by())
    .addOption(json())
    .addHelpText('after', examples('silences expire 3'))
    .action(async (id: string, options) =>
      finish(await (await import('./silences.ts')).expireSilence(io, id, options)),
    )
}

/** What a silence is for, and how long. */
function toSilence(command: Command): Command {
  return command
    .argument(
      '[matchers...]',
      'label=value, label!=value, label=~pattern, label!~pattern; the labels transfer, transfer_id, main_tx and zone_tx name a transfer',
    )
    .option('--transfer <name>', 'instead: one transfer, by key, id or hash, for what its alerts say now')
    .option('--kinds <kinds>', 'with --transfer: of these kinds alone, with commas between')
    .option(
      '--until-over',
      'with --transfer: until it is completed and its alerts have ended, and for a week at most; so too without --for and --until',
    )
    .addOption(config())
    .option('--allow-unknown', 'take rules, kinds and labels that do not exist yet')
    .option('--for <duration>', 'how long')
    .option('--until <time>', 'when it ends: an ISO time, or a duration from now')
    .option('--from <time>', 'when it begins, if not now: an ISO time, or a duration from now')
}

function addOutbox(outbox: Command, io: Io, finish: Finish): void {
  outbox
    .command('list')
    .description('queued messages, newest first')
    .addOption(config())
    .option('--state <state>', 'queued, dead (set aside) or sent', 'queued')
    .option('--limit <n>', 'how many at most', '50')
    .addOption(json())
    .addHelpText('after', examples('outbox list', 'outbox list --state dead --json'))
    .action(async (options) => finish((await import('./outbox.ts')).listOutbox(io, options)))
  outbox
    .command('retry')
    .description('retry a queued message at once, or put one that was set aside back into the queue')
    .argument('<id>', 'its number, or dead for all that were set aside')
    .addOption(config())
    .addOption(by())
    .addOption(json())
    .addHelpText('after', examples('outbox retry 17', 'outbox retry dead'))
    .action(async (id: string, options) =>
      finish(await (await import('./outbox.ts')).retryOutbox(io, id, options)),
    )
  outbox
    .command('drop')
    .description('set a message aside for good: it is not sent to that channel')
    .argument('<id>', 'its number')
    .addOption(config())
    .addOption(by())
    .addOption(json())
    .action(async (id: string, options) =>
      finish(await (await import('./outbox.ts')).dropOutbox(io, id, options)),
    )
}
