package sandbox

// ladder are the means of this system, the firmest first.
var ladder = []means{
	{
		level: Isolated, name: "namespaces", start: namespaced,
		mend: "let users make namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0 or kernel.unprivileged_userns_clone=1",
	},
	{
		level: Isolated, name: "bubblewrap", start: bubblewrapped,
		mend: "install bubblewrap: apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap",
	},
	{
		level: Restricted, name: "Landlock", start: restricted,
		mend: "Linux 6.2 or later with landlock among the security modules of the boot parameter lsm",
	},
}
