"""Commands of the place Registry, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
    Command(
        "registry.filter",
        "Filter",
        ("slash",),
        "Show only what has these words, owner:bash, layer:main, kind:tool or is:shadowed.",
        "filter",
        rank=0,
    ),
    Command("registry.group", "Group by", ("g",), "Group by layer, by plugin, or by kind.", "group by", rank=0),
    Command(
        "registry.open",
        "Open",
        ("enter",),
        "Open or close a group, or show the entry in the place Prompt or Trace.",
        "open",
        rank=0,
    ),
    Command(
        "registry.owner",
        "Owner's other entries",
        ("o",),
        "Show all that the owner of the chosen entry has registered.",
        "owner's other entries",
    ),
    Command("registry.copy", "Copy raw text", ("y",), "Copy the text as it was registered, byte for byte.", "copy"),
    Command(
        "registry.restart",
        "Restart the plugin",
        ("R",),
        "Undo all that the plugin did, prove that nothing is left, and load it again.",
        "restart",
        label="R",
    ),
    Command(
        "registry.stop",
        "Stop the plugin",
        ("x",),
        "Undo all that the plugin did, and prove that nothing is left.",
        "stop",
    ),
    Command(
        "registry.start",
        "Start the plugin",
        ("a",),
        "Load again a plugin that was stopped here.",
        "start",
        when="stopped",
    ),
    Command("registry.fold_all", "Fold all, unfold all", ("Z",), "Close all groups, or open them all.", label="Z"),
    Command("registry.leave", "Leave the filter", ("escape",), "Show everything again.", in_palette=False),
    Command("registry.other_pane", "Other pane", ("tab", "shift+tab"), "Go to the other pane.", in_palette=False),
)
