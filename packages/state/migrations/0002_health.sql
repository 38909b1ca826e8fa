CREATE TABLE `health` (
	`subject` text PRIMARY KEY NOT NULL,
	`code` text NOT NULL,
	`since` integer NOT NULL,
	`checked_at` integer NOT NULL,
	`ok_at` integer,
	`detail` text
);
