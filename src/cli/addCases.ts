import type { Command } from 'commander'
import type { Io } from './io.ts'
import { type Finish, by, config, examples, json } from './commandOptions.ts'

export function addCases(cases: Command, io: Io, finish: Finish): void {
  cases
    .command('list')
    .description('cases that are not over, open ones first')
    .addOption(config())
    .option('--state <state>', 'open, acknowledged, handled, closed or all')
    .option('--limit <n>', 'how many at most', '50')
    .addOption(json())
    .addHelpText('after', examples('cases list', 'cases list --state all --json'))
    .action(async (options) => finish(await (await import('./cases.ts')).listCases(io, options)))
  cases
    .command('show')
    .description('one case: what is at risk, what it gathers, who was told, what was done')
    .argument('<id>', 'its name, such as c42')
    .addOption(config())
    .addOption(json())
    .addHelpText('after', examples('cases show c42'))
    .action(async (id: string, options) =>
      finish(await (await import('./cases.ts')).showCase(io, id, options)),
    )
  const change = (name: string, description: string) =>
    cases
      .command(name)
      .description(description)
      .argument('<id>', 'its name, such as c42')
      .addOption(config())
      .addOption(by())
      .addOption(json())
  change('ack', 'somebody looks at it: no reminders, no escalation; it stays in the verdict')
    .addHelpText('after', examples('cases ack c42 --by ana'))
    .action(async (id, options) =>
      finish(await (await import('./cases.ts')).changeCase(io, { id, do: 'ack', text: null }, options)),
    )
  change('assign', 'say whose it is')
    .option('--to <name>', 'whose; nobody when left out')
    .addHelpText('after', examples('cases assign c42 --to ben'))
    .action(async (id, options) =>
      finish(
        await (await import('./cases.ts')).changeCase(
          io,
          { id, do: 'assign', text: options.to ?? null },
          options,
        ),
      ),
    )
  change('note', 'write into its timeline')
    .requiredOption('--text <text>', 'what')
    .addHelpText('after', examples('cases note c42 --text "asked the operator"'))
    .action(async (id, options) =>
      finish(
        await (await import('./cases.ts')).changeCase(io, { id, do: 'note', text: options.text }, options),
      ),
    )
  change('handle', 'dealt with: it leaves the verdict until something of it gets worse')
    .requiredOption('--reason <text>', 'why it needs nobody any more')
    .addHelpText('after', examples('cases handle c42 --reason "refunded by hand" --by ana'))
    .action(async (id, options) =>
      finish(
        await (await import('./cases.ts')).changeCase(
          io,
          { id, do: 'handle', text: options.reason },
          options,
        ),
      ),
    )
  change('reopen', 'take an acknowledgement or a handling back')
    .option('--reason <text>', 'why')
    .addHelpText('after', examples('cases reopen c42 --reason "paid twice after all"'))
    .action(async (id, options) =>
      finish(
        await (await import('./cases.ts')).changeCase(
          io,
          { id, do: 'reopen', text: options.reason ?? null },
          options,
        ),
      ),
    )
}
