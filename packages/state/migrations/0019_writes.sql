CREATE TABLE `github_writes` (
	`id` integer PRIMARY KEY NOT NULL,
	`sent_at` integer NOT NULL
);
